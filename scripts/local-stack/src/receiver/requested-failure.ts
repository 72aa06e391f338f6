/** A failure that the path of a subscription's URL requests, to make retries visible. */
export interface RequestedFailure {
  readonly status: number;
  /** For each event, the number of requests that fail before the next one is accepted. */
  readonly times: number;
}

/** Reads `/fail/<status>/<times>`, with anything after it; undefined for every other path. */
export function requestedFailure(path: string): RequestedFailure | undefined {
  const [, status, times] = /^\/fail\/([2-5]\d\d)\/(\d{1,6})(?:\/|$)/.exec(path) ?? [];
  return status === undefined || times === undefined
    ? undefined
    : { status: Number(status), times: Number(times) };
}
