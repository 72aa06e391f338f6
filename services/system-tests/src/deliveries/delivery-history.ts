import type { TimedWebhook } from '../support/webhook-receiver.js';
import type { ReadEntry } from './partner-readings.js';

/** A time span by the machine's clock, in milliseconds of the Unix epoch. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A change that a client asked for: in force at some time between its first sending and its certain response. */
export interface RequestedChange {
  readonly sentAt: number;
  readonly respondedAt: number;
}

/** A write that the service has acknowledged, by its first sending and its certain response. */
export interface AcknowledgedWrite extends RequestedChange {
  readonly companyId: string;
  readonly tells: readonly {
    readonly name: string;
    readonly resourceId: string;
    readonly resourceVersion: number;
  }[];
}

/** A lead that the service has acknowledged, as created or as merged. */
export interface AcknowledgedLead {
  readonly companyId: string;
  readonly leadId: string;
  readonly address: string;
}

/** What an owner changed of a subscription. `back-filled` is an activation with the events since the pause. */
export type OwnerChange = RequestedChange &
  (
    | { readonly kind: 'state'; readonly value: 'active' | 'paused' | 'back-filled' }
    /** The path of its URL. No two subscriptions ever share one. */
    | { readonly kind: 'path'; readonly value: string }
    /** The version of the active secret. */
    | { readonly kind: 'secret'; readonly value: string }
  );

export interface SubscriptionHistory {
  readonly id: string;
  readonly companyId: string;
  /** In the order in which they were made. */
  readonly changes: readonly OwnerChange[];
  /** One that was never activated may sign tests alone. */
  readonly secrets: readonly { readonly version: number; readonly secret: string }[];
}

/** What was seen from outside of a run that is over. */
export interface DeliveryHistory {
  readonly settings: {
    readonly retryBaseMs: number;
    /** `DELIVERY_LEASE_SECONDS`, in milliseconds. */
    readonly leaseMs: number;
    /** For how long after its claim an attempt can begin, in milliseconds: its lease without what an attempt takes. */
    readonly underWayMs: number;
  };
  readonly beganAt: number;
  readonly companyIds: readonly string[];
  readonly writes: readonly AcknowledgedWrite[];
  readonly leads: readonly AcknowledgedLead[];
  readonly subscriptions: readonly SubscriptionHistory[];
  readonly requests: readonly TimedWebhook[];
  readonly readings: readonly ReadEntry[];
  /**
   * When processes, connections or messages were taken from the service, each until nothing of it can be felt any more. What
   * at-least-once allows is allowed across one of these alone; without any, every event is delivered exactly once.
   */
  readonly unsettled: readonly Span[];
}
