/**
 * Runs work under a signal that aborts after a number of milliseconds, or earlier with another signal. Removes the timer
 * and the listener once the work has ended.
 *
 * `AbortSignal.any` with `AbortSignal.timeout` is unusable here: only the joined signal refers to the timeout. Node 20
 * drops it at the next garbage collection, and the work then waits for ever.
 */
export async function withTimeLimit<T>(
  limit: { readonly milliseconds: number; readonly signal: AbortSignal | undefined },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { milliseconds, signal } = limit;
  const end = new AbortController();
  const timer = setTimeout(
    () => end.abort(new DOMException(`not within ${milliseconds} ms`, 'TimeoutError')),
    milliseconds,
  );
  const follow = () => end.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  if (signal?.aborted === true) follow();
  try {
    return await work(end.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', follow);
  }
}
