/** One answer with the instants of the sender's clock (milliseconds) between which the service has judged its request. */
export interface TimedResponse {
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly status: number;
  readonly retryAfter: string | null;
  readonly rateLimitPolicy: string | null;
  readonly rateLimit: string | null;
}

const MINUTE_MS = 60_000;

/** The answers to requests that a limit has let through, whatever came of them after that. */
export function acceptedOf(answers: readonly TimedResponse[]): TimedResponse[] {
  return answers.filter(({ status }) => status !== 429);
}

/**
 * The most requests that were certainly accepted within one span of 60 seconds. Only those count that were sent and answered
 * within it, so that a slow sender or network can make the number smaller but never too large.
 */
export function mostAcceptedInAnyMinute(answers: readonly TimedResponse[]): number {
  const accepted = acceptedOf(answers);
  const counts = accepted.map(
    ({ sentAt: start }) =>
      accepted.filter(({ sentAt, answeredAt }) => sentAt >= start && answeredAt <= start + MINUTE_MS).length,
  );
  return Math.max(0, ...counts);
}

/**
 * The refusals whose `retry-after` was certainly wrong, seen by all answers of the same limit: too long when a request was
 * accepted a whole second and more before the wait was over; too short when one was refused after the wait although none had
 * been accepted since.
 */
export function wrongWaits(answers: readonly TimedResponse[]): TimedResponse[] {
  const accepted = acceptedOf(answers);
  return answers.filter((refusal) => {
    if (refusal.status !== 429) return false;
    const waitMs = Number(refusal.retryAfter) * 1_000;
    const isTooLong = accepted.some(
      ({ sentAt, answeredAt }) =>
        sentAt >= refusal.answeredAt && answeredAt <= refusal.sentAt + waitMs - 1_000,
    );
    const waitedUntil = refusal.answeredAt + waitMs;
    const nextAccepted = Math.min(
      ...accepted.filter(({ answeredAt }) => answeredAt >= refusal.sentAt).map(({ sentAt }) => sentAt),
    );
    const isTooShort =
      waitedUntil < nextAccepted &&
      answers.some(
        ({ status, sentAt, answeredAt }) =>
          status === 429 && sentAt >= waitedUntil && answeredAt < nextAccepted,
      );
    return isTooLong || isTooShort;
  });
}
