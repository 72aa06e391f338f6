import type { ConsumeOutcome, IncomingMessage } from '@partner/kernel/amqp/consumer';
import { ServiceError } from '@partner/kernel/process/service-error';

const PAUSE_MS = 1_000;

/**
 * Wraps a handler so that `unavailable` requests a retry in 1 s.
 *
 * An outage of the database then does not use up the delivery limit of a message. Any other failure is passed on.
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
