import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { AttemptOutcomeName, DeliveryStateName } from '../schedule/delivery-resource.js';
import { type RetrySettings, retryWaitMs } from '../schedule/retry-schedule.js';

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
  | {
      readonly kind: 'retry_scheduled';
      readonly attempts: number;
      /** The next attempt is not due before this has passed. */
      readonly waitMs: number;
      /** False for a late failure: whatever lease runs by now is left alone. */
      readonly endsLease: boolean;
    }
  | { readonly kind: 'dead_lettered'; readonly attempts: number };

/**
 * Decides what an ended attempt makes of its delivery (spec: Subscription and delivery moves). It counts under whatever lease
 * it was made: a 2xx makes the delivery delivered, since the receiver has the event, and the 8th failure makes it
 * dead-lettered. A failure under a former lease takes nothing from an attempt that is under way by now; it only keeps the one
 * after that from coming too early. What is delivered stays so; of what is dead-lettered a success makes it delivered after all.
 *
 * To be called once for each recorded attempt: then the count is that of the recorded attempts, up to 8.
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
  const waitMs = retryWaitMs(attempts, ended.retryAfterSeconds, retry);
  return waitMs === undefined
    ? { kind: 'dead_lettered', attempts }
    : { kind: 'retry_scheduled', attempts, waitMs, endsLease: ended.leaseId === delivery.leaseId };
}
