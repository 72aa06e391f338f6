import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@partner/runtime/service-error';

/**
 * Repeats work while it fails with `unavailable`, so that an outage of the database does not use up the deliveries that a
 * message has. Gives `whenStopped` once the signal is aborted; every other failure is passed on.
 */
export async function outlastOutage<T>(
  work: () => Promise<T>,
  options: { readonly pauseMs: number; readonly signal: AbortSignal; readonly whenStopped: T },
): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ServiceError) || error.reason !== 'unavailable') throw error;
    }
    if (options.signal.aborted) return options.whenStopped;
    await delay(options.pauseMs, undefined, { signal: options.signal }).catch(() => undefined);
  }
}
