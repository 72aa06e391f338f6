/** The longest time that a timer holds; one that is set for longer fires immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after a time, also one that is longer than a timer holds; rejects with the signal's reason once it is aborted. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= MAX_TIMER_MS) await timer(Math.min(left, MAX_TIMER_MS), signal);
  signal?.throwIfAborted();
}

async function timer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve) => {
    const finish = () => {
      clearTimeout(started);
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const started = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish);
  });
  signal?.throwIfAborted();
}
