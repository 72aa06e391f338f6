import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { AttemptOutcomeName, DeliveryStateName } from './delivery-message.js';
import { type RetrySettings, retryWaitMs } from './retry-schedule.js';

/** Where a delivery stands before a result is settled. */
export interface DeliveryStanding {
  readonly state: DeliveryStateName;
  /** Attempts of the series that have ended. */
  readonly attempts: number;
  /** The lease that an attempt may run under; null when none may. */
  readonly leaseId: string | null;
}

/** What counts of a result. */
export interface EndedAttempt {
  readonly leaseId: string;
  readonly outcome: AttemptOutcomeName;
  readonly retryAfterSeconds?: number | undefined;
}

/** What a result makes of its delivery. */
export type Settlement =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'delivered'; readonly attempts: number }
  | { readonly kind: 'retry_scheduled'; readonly attempts: number; readonly waitMs: number }
  | { readonly kind: 'dead_lettered'; readonly attempts: number };

/**
 * Decides what an ended attempt makes of its delivery (spec: Subscription and delivery moves). A 2xx makes it delivered under
 * whatever lease, since the receiver has the event. A failure counts only under the present lease: under a former one the
 * delivery is already being attempted again. What is delivered or dead-lettered stays so.
 */
export function settleAttempt(
  delivery: DeliveryStanding,
  ended: EndedAttempt,
  retry: RetrySettings,
): Settlement {
  if (delivery.state === 'delivered' || delivery.state === 'dead_lettered') return { kind: 'unchanged' };
  const attempts = Math.min(delivery.attempts + 1, LIMITS.webhookAttempts);
  if (ended.outcome === 'delivered') return { kind: 'delivered', attempts };
  if (ended.leaseId !== delivery.leaseId) return { kind: 'unchanged' };
  const waitMs = retryWaitMs(attempts, ended.retryAfterSeconds, retry);
  return waitMs === undefined
    ? { kind: 'dead_lettered', attempts }
    : { kind: 'retry_scheduled', attempts, waitMs };
}
