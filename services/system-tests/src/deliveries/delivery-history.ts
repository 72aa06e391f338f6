import type { deliveryWithAttempts } from '@partner/proto-contracts/resources/delivery/delivery';
import type { z } from 'zod';
import type { TimedWebhook } from '../support/webhook-receiver.js';

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

/** An event that a write has to have made. */
export interface AnnouncedEvent {
  readonly name: string;
  readonly resourceId: string;
  readonly resourceVersion: number;
}

/** A write that the service has acknowledged, by its first sending and its certain response. */
export interface AcknowledgedWrite extends RequestedChange {
  readonly companyId: string;
  readonly tells: readonly AnnouncedEvent[];
}

/** An event as the database holds it at the end. */
export interface StoredEvent extends AnnouncedEvent {
  readonly id: string;
  readonly companyId: string;
  readonly resourceType: string;
  readonly body: Buffer;
}

/** That a subscription was paused or activated. */
export interface StateChange extends RequestedChange {
  readonly state: 'active' | 'paused';
  /** Of an activation: whether the events since the pause were asked for. */
  readonly backfill?: boolean;
}

/** The path of a subscription's URL, from a change on. */
export interface PathChange extends RequestedChange {
  readonly path: string;
}

/** A signing secret. One that was never activated may sign tests alone. */
export interface SecretHistory {
  readonly version: number;
  readonly secret: string;
  readonly activation: RequestedChange | undefined;
}

/** What its owner did with a subscription. It is paused before its first change of state. */
export interface SubscriptionHistory {
  readonly id: string;
  readonly companyId: string;
  /** The events that it is for, by their names; tests go to every subscription. */
  readonly events: readonly string[];
  readonly states: readonly StateChange[];
  /** The first one is that of the creation. No two subscriptions ever share one. */
  readonly paths: readonly PathChange[];
  readonly secrets: readonly SecretHistory[];
}

/** A delivery with its attempts, as the console shows it. */
export type ShownDelivery = z.infer<typeof deliveryWithAttempts>;

/** All that is known of a run that is over. */
export interface DeliveryHistory {
  readonly settings: {
    /** `WEBHOOK_RETRY_BASE_MS`. */
    readonly retryBaseMs: number;
    /** `DELIVERY_LEASE_SECONDS`, in milliseconds. */
    readonly leaseMs: number;
    /** For how long after its claim an attempt can begin, in milliseconds: its lease without what an attempt takes. */
    readonly underWayMs: number;
  };
  readonly writes: readonly AcknowledgedWrite[];
  readonly events: readonly StoredEvent[];
  readonly subscriptions: readonly SubscriptionHistory[];
  readonly requests: readonly TimedWebhook[];
  readonly deliveries: readonly ShownDelivery[];
  /**
   * When processes, connections or messages were taken from the service, each until nothing of it can be felt any more. What
   * at-least-once allows is allowed across one of these alone; without any, every event is delivered exactly once.
   */
  readonly unsettled: readonly Span[];
}
