/** Something took longer than it may. */
class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Resolves or rejects with the work, or rejects with an error that names it after `limitMs`. The work itself goes on; what
 * it then does is nobody's concern.
 */
export async function within<T>(limitMs: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeLimitError(`${what} took longer than ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
