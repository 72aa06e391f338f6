import { create, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { DELIVERY_STATE_ON_THE_WIRE } from '@partner/proto-contracts/delivery-state';
import {
  type Attempt,
  AttemptOutcome,
  AttemptSchema,
  type Delivery,
  DeliverySchema,
  type DeliveryState,
  ExchangeTraceSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { ATTEMPT_OUTCOMES, DELIVERY_STATES } from '@partner/proto-contracts/public-api/webhook-delivery';

/** Where a delivery is in its life. */
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];

/** How an attempt ended. */
export type AttemptOutcomeName = (typeof ATTEMPT_OUTCOMES)[number];

/** What is shown of a delivery, as {@link DELIVERY_COLUMNS} and {@link ANY_DELIVERY_COLUMNS} select it. */
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
  readonly replayOf: string | null;
  readonly bulkReplayId: string | null;
}

/** What a list shows of an attempt, as {@link ATTEMPT_SUMMARY_COLUMNS} select it. */
export interface AttemptSummaryRow {
  readonly id: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcomeName;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly remoteAddress: string | null;
  readonly secretVersion: number;
}

/** What is shown of an attempt, as {@link ATTEMPT_COLUMNS} select it. */
export interface AttemptRow extends AttemptSummaryRow {
  readonly responseBody: Buffer | null;
  /** An `ExchangeTrace` as JSON. */
  readonly exchange: JsonValue;
}

const COMMON_COLUMNS = `
  d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.event, d.state, d.attempts,
  case when d.state in ('pending', 'retry_scheduled') and d.lease_id is null then d.next_attempt_at end as "nextAttemptAt",
  d.created_at as "createdAt", d.resource_type as "resourceType", d.resource_id as "resourceId",
  d.replay_of as "replayOf", d.bulk_replay_id as "bulkReplayId"`;

/** Columns of a {@link DeliveryRow} that is not finished, from `deliveries d`. One in flight or held has no next attempt. */
export const DELIVERY_COLUMNS = `${COMMON_COLUMNS}, null::timestamptz as "finishedAt"`;

/** Columns of a {@link DeliveryRow}, from `all_deliveries d`. */
export const ANY_DELIVERY_COLUMNS = `${COMMON_COLUMNS}, d.finished_at as "finishedAt"`;

/** Columns of an {@link AttemptSummaryRow}, from `delivery_attempts a`. */
export const ATTEMPT_SUMMARY_COLUMNS = `
  a.id, a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.outcome,
  a.response_status as "responseStatus", a.error, a.remote_address as "remoteAddress", a.secret_version as "secretVersion"`;

/** Columns of an {@link AttemptRow}, from `delivery_attempts a`. */
export const ATTEMPT_COLUMNS = `${ATTEMPT_SUMMARY_COLUMNS}, a.response_body as "responseBody", a.exchange`;

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
  return DELIVERY_STATES.find((name) => DELIVERY_STATE_ON_THE_WIRE[name] === state);
}

/** The outcome's name; undefined for an outcome that is not given or not known. */
export function attemptOutcomeName(outcome: AttemptOutcome): AttemptOutcomeName | undefined {
  return ATTEMPT_OUTCOMES.find((name) => OUTCOMES[name] === outcome);
}

/** The state as the console gets it. */
export function deliveryStateMessage(name: DeliveryStateName): DeliveryState {
  return DELIVERY_STATE_ON_THE_WIRE[name];
}

/** A delivery as the console gets it. */
export function deliveryMessage(row: DeliveryRow): Delivery {
  return create(DeliverySchema, {
    id: row.id,
    subscriptionId: row.subscriptionId,
    eventId: row.eventId,
    event: row.event,
    state: DELIVERY_STATE_ON_THE_WIRE[row.state],
    attempts: row.attempts,
    nextAttemptAt: row.nextAttemptAt === null ? undefined : timestampFromDate(row.nextAttemptAt),
    createdAt: timestampFromDate(row.createdAt),
    finishedAt: row.finishedAt === null ? undefined : timestampFromDate(row.finishedAt),
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    replayOf: row.replayOf ?? undefined,
    bulkReplayId: row.bulkReplayId ?? undefined,
  });
}

/** An attempt as the console gets it in a list: without what was answered and how the exchange went. */
export function attemptSummaryMessage(row: AttemptSummaryRow): Attempt {
  return create(AttemptSchema, {
    deliveryId: row.id,
    number: row.number,
    startedAt: timestampFromDate(row.startedAt),
    durationMs: row.durationMs,
    outcome: OUTCOMES[row.outcome],
    responseStatus: row.responseStatus ?? undefined,
    error: row.error ?? undefined,
    remoteAddress: row.remoteAddress ?? undefined,
    secretVersion: row.secretVersion,
  });
}

/** An attempt as the console gets it. */
export function attemptMessage(row: AttemptRow): Attempt {
  const message = attemptSummaryMessage(row);
  if (row.responseBody !== null) message.responseBody = row.responseBody;
  if (row.exchange !== null) {
    message.exchange = fromJson(ExchangeTraceSchema, row.exchange, { ignoreUnknownFields: true });
  }
  return message;
}
