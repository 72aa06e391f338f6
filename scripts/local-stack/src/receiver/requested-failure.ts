/** A failure that the path of a subscription's URL asks for, so that retries can be seen. */
export interface RequestedFailure {
  readonly status: number;
  /** For each event, how many requests are answered so before the next one is accepted. */
  readonly times: number;
}

/** Reads `/fail/<status>/<times>`, with anything behind it; undefined for every other path. */
export function requestedFailure(path: string): RequestedFailure | undefined {
  const [, status, times] = /^\/fail\/([2-5]\d\d)\/(\d{1,6})(?:\/|$)/.exec(path) ?? [];
  return status === undefined || times === undefined
    ? undefined
    : { status: Number(status), times: Number(times) };
}
