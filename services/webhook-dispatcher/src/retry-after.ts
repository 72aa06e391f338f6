import { LIMITS } from '@partner/proto-contracts/api/limits';

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
    : Math.ceil((Date.parse(text) - response.now.getTime()) / 1_000);
  return seconds >= 1 ? Math.min(seconds, CAP_SECONDS) : undefined;
}
