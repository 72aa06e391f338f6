import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { isInFlight } from './delivery-columns.js';

/** The share of all slots that is reserved for companies with nothing in flight. */
const RESERVED_FOR_FIRST = 0.25;
/** The share of all slots, and of a company's slots, that all failing endpoints have together. */
const FAILING_SHARE = 0.5;
/** Largest share of all slots for one subscription: enough for a healthy endpoint, little for one that hangs. */
const SUBSCRIPTION_SHARE = 0.02;
/** Largest share of all slots for one company, however many subscriptions it has. */
const COMPANY_SHARE = 0.25;

/** After this many consecutive failed attempts an endpoint is failing, until an attempt is delivered. */
export const FAILING_AFTER = WEBHOOK_LIMITS.failingAfter;

export const isFailing = (s: string) => `${s}.failures_in_row >= ${FAILING_AFTER}`;

export interface LeaseLimits {
  readonly leaseSeconds: number;
  /** Slots for companies with nothing in flight. */
  readonly inFlight: number;
  /** Slots for companies that already have deliveries in flight. */
  readonly sharedSlots: number;
  /** Slots of one subscription. At least 2, or a backlog of retries starves first attempts. */
  readonly subscriptionCap: number;
  readonly companyCap: number;
}

export function limitsOfSlots(inFlight: number, leaseSeconds: number): LeaseLimits {
  return {
    ...{ inFlight, leaseSeconds },
    sharedSlots: sharedSlotsOf(inFlight),
    subscriptionCap: subscriptionCapOf(inFlight),
    companyCap: shareOf(inFlight, COMPANY_SHARE),
  };
}

export function sharedSlotsOf(inFlight: number): number {
  return inFlight - Math.floor(inFlight * RESERVED_FOR_FIRST);
}

export function failingSlotsOf(slots: number): number {
  return shareOf(slots, FAILING_SHARE);
}

export function subscriptionCapOf(inFlight: number): number {
  return shareOf(inFlight, SUBSCRIPTION_SHARE);
}

function shareOf(slots: number, share: number): number {
  return Math.max(1, Math.floor(slots * share));
}

/** Counts the leases that have not ended, of which there are few, by subscription. The index of leases has all that it reads. */
export const inFlightBySubscription = (counts = '', condition = 'true') => `
    select d.subscription_id, d.company_id, count(*)::integer as deliveries${counts} from deliveries d
    where ${isInFlight('d')} and ${condition}
    group by d.subscription_id, d.company_id`;

/**
 * Whether a delivery that would be number `ofAll` in flight, and `ofCompany` of its company, has a slot. The last quarter is
 * reserved for companies with nothing in flight.
 *
 * The counts are those of the statement's snapshot: replicas that lease at the same instant can together exceed the bounds.
 */
export const hasSlot = (ofAll: string, ofCompany: string, slots: string, sharedSlots: string) =>
  `${ofAll} <= case ${ofCompany} when 1 then ${slots} else ${sharedSlots} end`;
