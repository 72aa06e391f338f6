/**
 * Does work under a signal that comes after so many milliseconds, or with another one when that comes first. Nothing is left
 * of either once the work has ended.
 *
 * Not `AbortSignal.any` with `AbortSignal.timeout`: Node 20 drops such a timeout, which only the joined signal knows, as
 * soon as it collects garbage, and the work then waits for ever.
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
