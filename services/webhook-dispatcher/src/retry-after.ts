import { LIMITS } from '@partner/proto-contracts/api/limits';

/** The three forms of RFC 9110, 5.6.7. That of asctime has a year instead of the zone, and is in UTC too. */
const HTTP_DATE = /^[A-Z][a-z]+,? [\w -]+ \d\d:\d\d:\d\d (?:GMT|\d{4})$/;

const CAP_SECONDS = LIMITS.webhookBackoffCapMs / 1_000;

/**
 * Returns the whole seconds that a receiver requests in the `retry-after` of a 429 or 503. The header is a number of
 * seconds or an HTTP date. At least 1, and at most 6 hours, which is the cap on every delay. Undefined if the header is
 * absent or unusable.
 */
export function retryAfterSeconds(response: {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly now: Date;
}): number | undefined {
  if (response.retryAfter === undefined || (response.status !== 429 && response.status !== 503))
    return undefined;
  const text = response.retryAfter.trim();
  const seconds = /^\d+$/.test(text)
    ? Number(text)
    : Math.ceil((httpDate(text) - response.now.getTime()) / 1_000);
  return seconds >= 1 ? Math.min(seconds, CAP_SECONDS) : undefined;
}

function httpDate(text: string): number {
  return HTTP_DATE.test(text) ? Date.parse(text.replace(/\d{4}$/, '$& GMT')) : Number.NaN;
}
