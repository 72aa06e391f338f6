import { LIMITS } from '@partner/proto-contracts/public-api/limits';

/** What the schedule is made of. */
export interface RetrySettings {
  /** The wait after the first failed attempt, in milliseconds; it doubles with each further one. */
  readonly baseMs: number;
  /** A number from 0 up to but not including 1, new at each call. */
  readonly random: () => number;
}

const LONGEST_JITTER = 0.1;

/**
 * How long to wait after the failed attempt of this number (from 1), in milliseconds: the base, doubled with each attempt,
 * plus up to 10 % so that what failed together does not come back together; never more than 6 hours. What the receiver
 * asked for in `retry-after` can lengthen the wait up to that cap and never shortens it. `undefined` after the last
 * attempt: the delivery is dead-lettered (spec: Acknowledgement and retries 2 and 3).
 */
export function retryWaitMs(
  failedAttempt: number,
  retryAfterSeconds: number | undefined,
  settings: RetrySettings,
): number | undefined {
  if (failedAttempt >= LIMITS.webhookAttempts) return undefined;
  const scheduled = settings.baseMs * 2 ** (failedAttempt - 1);
  const wanted = Math.max(scheduled, (retryAfterSeconds ?? 0) * 1_000);
  const jitter = 1 + LONGEST_JITTER * settings.random();
  return Math.min(Math.ceil(wanted * jitter), LIMITS.webhookBackoffCapMs);
}
