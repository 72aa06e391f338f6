import { setTimeout as delay } from 'node:timers/promises';

/** A condition was not met within its time limit; the message names both. */
export class PollTimeoutError extends Error {
  override readonly name = 'PollTimeoutError';
}

/**
 * Polls until the probe returns neither undefined nor false. For server state without a notification; wait for a
 * message or a row if there is one. A function as `what` describes the last state. Throws {@link PollTimeoutError} after
 * `timeoutMs` (absent: 120,000), and any error of the probe.
 */
export async function eventually<T>(
  what: string | (() => string | Promise<string>),
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  options: { readonly timeoutMs?: number; readonly everyMs?: number; readonly signal?: AbortSignal } = {},
): Promise<T> {
  const { timeoutMs = 120_000, everyMs = 25, signal } = options;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) {
      const description = typeof what === 'string' ? what : await what();
      throw new PollTimeoutError(`${description}: not within ${Math.round(timeoutMs / 1_000)} s`);
    }
    await delay(everyMs, undefined, { signal });
  }
}
