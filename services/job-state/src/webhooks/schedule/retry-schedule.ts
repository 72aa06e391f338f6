import { LIMITS } from '@partner/proto-contracts/api/limits';

export interface RetrySettings {
  /** The backoff after the first failed attempt, in milliseconds; it doubles with each further one. */
  readonly baseMs: number;
  /** A random number from 0 to less than 1, new at each call. */
  readonly random: () => number;
}

const LONGEST_JITTER = 0.1;

/**
 * Returns the backoff in milliseconds after the failed attempt with this number, from 1.
 *
 * It is the base, doubled with each attempt, plus up to 10 % jitter, capped at 6 hours. Jitter spreads deliveries that failed
 * together. The receiver's `retry-after` can lengthen the backoff up to the cap and never shortens it. Returns `undefined`
 * after the last attempt: the delivery is dead-lettered (spec: Acknowledgement and retries 2 and 3).
 */
export function retryBackoffMs(
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
