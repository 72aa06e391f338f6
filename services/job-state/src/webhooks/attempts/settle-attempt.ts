import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { AttemptOutcomeName } from '../deliveries/attempt-columns.js';
import type { DeliveryStateName } from '../deliveries/delivery-columns.js';
import { type RetrySettings, retryBackoffMs } from '../schedule/retry-schedule.js';

export interface DeliveryStanding {
  readonly state: DeliveryStateName;
  /** Finished attempts of the series. */
  readonly attempts: number;
  /** The lease that an attempt may run under; null: none. */
  readonly leaseId: string | null;
  /** True for a test with a wrong signature, or of another URL: it has one attempt, and says nothing about its subscription. */
  readonly isTrial: boolean;
}

export interface EndedAttempt {
  readonly leaseId: string;
  readonly outcome: AttemptOutcomeName;
  readonly retryAfterSeconds?: number | undefined;
}

export type Settlement =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'delivered'; readonly attempts: number }
  | {
      readonly kind: 'retry_scheduled';
      readonly attempts: number;
      /** The next attempt is due no earlier than after this delay. */
      readonly backoffMs: number;
      /** False for a late failure: a current lease stays untouched. */
      readonly endsLease: boolean;
    }
  | { readonly kind: 'dead_lettered'; readonly attempts: number }
  /** A trial that was not accepted. */
  | { readonly kind: 'cancelled'; readonly attempts: number };

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
  ended: EndedAttempt,
  retry: RetrySettings,
): Settlement {
  if (delivery.state === 'delivered') return { kind: 'unchanged' };
  const attempts = Math.min(delivery.attempts + 1, LIMITS.webhookAttempts);
  if (ended.outcome === 'delivered') return { kind: 'delivered', attempts };
  if (delivery.state === 'dead_lettered') return { kind: 'unchanged' };
  if (delivery.isTrial) return { kind: 'cancelled', attempts };
  const backoffMs = retryBackoffMs(attempts, ended.retryAfterSeconds, retry);
  return backoffMs === undefined
    ? { kind: 'dead_lettered', attempts }
    : { kind: 'retry_scheduled', attempts, backoffMs, endsLease: ended.leaseId === delivery.leaseId };
}
