import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { AttemptOutcomeName } from '../deliveries/attempt-columns.js';
import type { DeliveryStateName } from '../deliveries/delivery-columns.js';

export interface DeliveryStanding {
  readonly state: DeliveryStateName;
  /** Finished attempts of the series. */
  readonly attempts: number;
  /** The lease that an attempt may run under; null: none. */
  readonly leaseId: string | null;
  /** True for a test with a wrong signature, or of another URL: it has one attempt, and says nothing about its subscription. */
  readonly isTrial: boolean;
}

export interface RetrySettings {
  /** The backoff after the first failed attempt, in milliseconds; it doubles with each further one. */
  readonly baseMs: number;
  /** A random number from 0 to less than 1, new at each call. */
  readonly random: () => number;
}

export type Settlement =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'delivered' | 'dead_lettered'; readonly attempts: number }
  /** A trial that was not accepted. */
  | { readonly kind: 'cancelled'; readonly attempts: number }
  | {
      readonly kind: 'retry_scheduled';
      readonly attempts: number;
      /** The next attempt is due no earlier than after this delay. */
      readonly backoffMs: number;
      /** False for a late failure: a current lease stays untouched. */
      readonly endsLease: boolean;
    };

const LONGEST_JITTER = 0.1;

/**
 * Decides what a finished attempt changes on its delivery (spec: Subscription and delivery moves).
 *
 * An attempt counts under any lease. A 2xx makes the delivery delivered, since the receiver has the event. The 8th failure
 * dead-letters it. A failure under a former lease does not affect an attempt in flight; it only delays the attempt after that
 * one. A delivered delivery stays delivered. A success makes a dead-lettered delivery delivered. A failure cancels
 * a trial.
 *
 * Call it once for each recorded attempt, so that the count equals the recorded attempts, up to 8.
 */
export function settleAttempt(
  delivery: DeliveryStanding,
  ended: {
    readonly leaseId: string;
    readonly outcome: AttemptOutcomeName;
    readonly retryAfterSeconds?: number | undefined;
  },
  retry: RetrySettings,
): Settlement {
  if (delivery.state === 'delivered') return { kind: 'unchanged' };
  const attempts = Math.min(delivery.attempts + 1, LIMITS.webhookAttempts);
  if (ended.outcome === 'delivered') return { kind: 'delivered', attempts };
  if (delivery.state === 'dead_lettered') return { kind: 'unchanged' };
  if (delivery.isTrial) return { kind: 'cancelled', attempts };
  if (attempts === LIMITS.webhookAttempts) return { kind: 'dead_lettered', attempts };
  const backoffMs = retryBackoffMs(attempts, ended.retryAfterSeconds, retry);
  return { kind: 'retry_scheduled', attempts, backoffMs, endsLease: ended.leaseId === delivery.leaseId };
}

/**
 * The backoff in milliseconds after the failed attempt with this number, from 1 (spec: Acknowledgement and retries 2 and 3).
 *
 * It is the base, doubled with each attempt, plus up to 10 % jitter, capped at 6 hours. Jitter spreads deliveries that failed
 * together. The receiver's `retry-after` can lengthen the backoff up to the cap and never shortens it.
 */
function retryBackoffMs(failedAttempt: number, retryAfterSeconds = 0, { baseMs, random }: RetrySettings) {
  const wanted = Math.max(baseMs * 2 ** (failedAttempt - 1), retryAfterSeconds * 1_000);
  return Math.min(Math.ceil(wanted * (1 + LONGEST_JITTER * random())), LIMITS.webhookBackoffCapMs);
}
