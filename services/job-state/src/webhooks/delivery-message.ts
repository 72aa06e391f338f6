import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Attempt,
  AttemptOutcome,
  AttemptSchema,
  type Delivery,
  DeliverySchema,
  DeliveryState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { ATTEMPT_OUTCOMES, DELIVERY_STATES } from '@partner/proto-contracts/public-api/console';

/** Where a delivery is in its life. */
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];

/** How an attempt ended. */
export type AttemptOutcomeName = (typeof ATTEMPT_OUTCOMES)[number];

/** What is shown of a delivery, as {@link DELIVERY_COLUMNS} select it. */
export interface DeliveryRow {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly event: string;
  readonly state: DeliveryStateName;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
  readonly resourceType: string;
  readonly resourceId: string;
}

/** What is shown of an attempt, as {@link ATTEMPT_COLUMNS} select it. */
export interface AttemptRow {
  readonly id: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcomeName;
  readonly responseStatus: number | null;
  readonly responseBody: Buffer | null;
  readonly error: string | null;
  readonly remoteAddress: string | null;
  readonly secretVersion: number;
}

/** Columns of a {@link DeliveryRow}, from `deliveries d` and its `events e`. A delivery under way or held has no next time. */
export const DELIVERY_COLUMNS = `
  d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", e.name as event, d.state, d.attempts,
  case when d.state in ('pending', 'retry_scheduled') and d.lease_id is null then d.next_attempt_at end as "nextAttemptAt",
  d.created_at as "createdAt", d.finished_at as "finishedAt",
  e.resource_type as "resourceType", e.resource_id as "resourceId"`;

/** Columns of an {@link AttemptRow}, from `delivery_attempts a`. */
export const ATTEMPT_COLUMNS = `
  a.id, a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.outcome,
  a.response_status as "responseStatus", a.response_body as "responseBody", a.error,
  a.remote_address as "remoteAddress", a.secret_version as "secretVersion"`;

const STATES = {
  pending: DeliveryState.PENDING,
  retry_scheduled: DeliveryState.RETRY_SCHEDULED,
  delivered: DeliveryState.DELIVERED,
  dead_lettered: DeliveryState.DEAD_LETTERED,
  held: DeliveryState.HELD,
} as const satisfies Record<DeliveryStateName, DeliveryState>;

const OUTCOMES = {
  delivered: AttemptOutcome.DELIVERED,
  rejected: AttemptOutcome.REJECTED,
  timed_out: AttemptOutcome.TIMED_OUT,
  tls_failed: AttemptOutcome.TLS_FAILED,
  connection_failed: AttemptOutcome.CONNECTION_FAILED,
  endpoint_refused: AttemptOutcome.ENDPOINT_REFUSED,
} as const satisfies Record<AttemptOutcomeName, AttemptOutcome>;

/** The state's name; undefined for a state that is not given or not known. */
export function deliveryStateName(state: DeliveryState): DeliveryStateName | undefined {
  return DELIVERY_STATES.find((name) => STATES[name] === state);
}

/** The outcome's name; undefined for an outcome that is not given or not known. */
export function attemptOutcomeName(outcome: AttemptOutcome): AttemptOutcomeName | undefined {
  return ATTEMPT_OUTCOMES.find((name) => OUTCOMES[name] === outcome);
}

/** A delivery as the console gets it. */
export function deliveryMessage(row: DeliveryRow): Delivery {
  return create(DeliverySchema, {
    id: row.id,
    subscriptionId: row.subscriptionId,
    eventId: row.eventId,
    event: row.event,
    state: STATES[row.state],
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt === null ? undefined : timestampFromDate(row.nextAttemptAt),
    createdAt: timestampFromDate(row.createdAt),
    finishedAt: row.finishedAt === null ? undefined : timestampFromDate(row.finishedAt),
    resourceType: row.resourceType,
    resourceId: row.resourceId,
  });
}

/** An attempt as the console gets it. */
export function attemptMessage(row: AttemptRow): Attempt {
  return create(AttemptSchema, {
    deliveryId: row.id,
    number: row.number,
    startedAt: timestampFromDate(row.startedAt),
    durationMs: row.durationMs,
    outcome: OUTCOMES[row.outcome],
    responseStatus: row.responseStatus ?? undefined,
    responseBody: row.responseBody ?? undefined,
    error: row.error ?? undefined,
    remoteAddress: row.remoteAddress ?? undefined,
    secretVersion: row.secretVersion,
  });
}
