/** The result of sending requests for some time, one after the other on each connection. */
export interface Slice {
  /** In milliseconds, in the order of the responses. */
  readonly durations: readonly number[];
  readonly elapsedMs: number;
}

/** Sends requests on a number of connections until the time is over, and waits for the last responses. The first failure ends it. */
export async function runSlice(options: {
  readonly connections: number;
  readonly milliseconds: number;
  /** Each number is used once. */
  readonly send: (number: number) => Promise<unknown>;
  readonly firstNumber: number;
  readonly signal: AbortSignal;
}): Promise<Slice> {
  const durations: number[] = [];
  const startedAt = performance.now();
  let end = startedAt + options.milliseconds;
  let next = options.firstNumber;

  async function connection(): Promise<void> {
    do {
      options.signal.throwIfAborted();
      const sentAt = performance.now();
      next += 1;
      await options.send(next);
      durations.push(performance.now() - sentAt);
    } while (performance.now() < end);
  }

  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
  } finally {
    end = 0;
  }
  return { durations, elapsedMs: performance.now() - startedAt };
}
