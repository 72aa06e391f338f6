import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { ServiceError } from '@partner/kernel/service-error';

const PAUSE_MS = 1_000;

/**
 * Makes a handler ask for another try in 1 s where it fails with `unavailable`, so that an outage of the database does not
 * use up the deliveries that a message has. Every other failure is passed on.
 */
export function retryWhileUnavailable(
  handle: (message: IncomingMessage) => Promise<ConsumeOutcome>,
): (message: IncomingMessage) => Promise<ConsumeOutcome> {
  return async (message) => {
    try {
      return await handle(message);
    } catch (error) {
      if (error instanceof ServiceError && error.reason === 'unavailable')
        return { kind: 'retry', afterMs: PAUSE_MS };
      throw error;
    }
  };
}
