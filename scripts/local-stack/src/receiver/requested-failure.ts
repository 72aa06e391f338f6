/** A failure that the path of a subscription's URL requests, to make retries visible. */
export interface RequestedFailure {
  readonly status: number;
  /** For each event, the number of requests that fail before the next one is accepted. */
  readonly times: number;
}

const TEST_EVENT = 'install.test';

/**
 * Reads `/fail/<status>/<times>`, and `/down/<status>` for an event that is not a test, with anything after it; undefined for every
 * other path.
 */
export function requestedFailure(path: string, event: string | undefined): RequestedFailure | undefined {
  const [, status, times] = /^\/fail\/([2-5]\d\d)\/(\d{1,6})(?:\/|$)/.exec(path) ?? [];
  if (status !== undefined) return { status: Number(status), times: Number(times) };
  const [, down] = /^\/down\/([2-5]\d\d)(?:\/|$)/.exec(path) ?? [];
  return down === undefined || event === TEST_EVENT
    ? undefined
    : { status: Number(down), times: Number.POSITIVE_INFINITY };
}

/** Reads `/slow/<milliseconds>`, with anything after it: the delay before each response; 0 for every other path. */
export function requestedDelayMs(path: string): number {
  return Number(/^\/slow\/(\d{1,5})(?:\/|$)/.exec(path)?.[1] ?? 0);
}
