import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { ExchangeTraceSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  Attempt,
  ATTEMPT_OUTCOMES,
  AttemptSummary,
  ExchangeSteps,
} from '@partner/proto-contracts/resources/attempt/attempt';
import {
  type Delivery,
  DELIVERY_STATES,
  type ListedDelivery,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { required } from '../../rpc/required.js';

/** State of a delivery. */
export type DeliveryStateName = (typeof DELIVERY_STATES)[number];

/** How an attempt ended. */
export type AttemptOutcomeName = (typeof ATTEMPT_OUTCOMES)[number];

/** The public fields of a delivery, as {@link DELIVERY_COLUMNS} and {@link ANY_DELIVERY_COLUMNS} select them. */
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
  readonly isTest: boolean;
  readonly replayOf: string | null;
  readonly bulkReplayId: string | null;
  readonly wrongSignature: boolean;
  readonly testUrl: string | null;
  /** Its number among the events of the subscription, a decimal text. */
  readonly eventNumber: string | null;
}

/** The fields of an attempt in a list, as {@link ATTEMPT_SUMMARY_COLUMNS} selects them. */
export interface AttemptSummaryRow {
  readonly attemptId: string;
  readonly number: number;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly outcome: AttemptOutcomeName;
  readonly responseStatus: number | null;
  readonly error: string | null;
}

/** A delivery with the fields of its last attempt, or null for each of them. */
export type ListedDeliveryRow = DeliveryRow &
  (AttemptSummaryRow | { readonly [Field in keyof AttemptSummaryRow]: null });

/** The public fields of an attempt, as {@link ATTEMPT_COLUMNS} selects them. */
export interface AttemptRow extends AttemptSummaryRow {
  readonly responseHeaders: Attempt['responseHeaders'];
  readonly responseBody: Buffer | null;
  readonly remoteAddress: string | null;
  readonly secretVersion: number;
  /** An `ExchangeTrace` as JSON. */
  readonly exchange: JsonValue;
}

const COMMON_COLUMNS = `
  d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.event, d.state, d.attempts,
  case when d.state in ('pending', 'retry_scheduled') and d.lease_id is null then d.next_attempt_at end as "nextAttemptAt",
  d.created_at as "createdAt", d.resource_type as "resourceType", d.resource_id as "resourceId",
  d.is_test as "isTest", d.replay_of as "replayOf", d.bulk_replay_id as "bulkReplayId", d.wrong_secret is not null as "wrongSignature",
  d.test_url as "testUrl", d.number as "eventNumber"`;

/** Columns of an unfinished {@link DeliveryRow}, from `deliveries d`. One in flight or held has no next attempt. */
export const DELIVERY_COLUMNS = `${COMMON_COLUMNS}, null::timestamptz as "finishedAt"`;

/** Columns of a {@link DeliveryRow}, from `all_deliveries d`. */
export const ANY_DELIVERY_COLUMNS = `${COMMON_COLUMNS}, d.finished_at as "finishedAt"`;

/** Columns of an {@link AttemptSummaryRow}, from `delivery_attempts a`. */
export const ATTEMPT_SUMMARY_COLUMNS = `
  a.id as "attemptId", a.number, a.started_at as "startedAt", a.duration_ms as "durationMs", a.outcome,
  a.response_status as "responseStatus", a.error`;

/** Columns of an {@link AttemptRow}, from `delivery_attempts a`. */
export const ATTEMPT_COLUMNS = `${ATTEMPT_SUMMARY_COLUMNS}, a.response_headers as "responseHeaders", a.response_body as "responseBody",
  a.remote_address as "remoteAddress", a.secret_version as "secretVersion", a.exchange`;

/** The columns that move from `deliveries` to `finished_deliveries`, apart from the outcome and its time. */
export const RETAINED_COLUMNS = `id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
  secret_version, wrong_secret, test_url, replay_of, bulk_replay_id, created_at, number`;

/** A delivery as the public API shows it. */
export function shownDelivery(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    eventId: row.eventId,
    event: row.event,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: formatOptionalDateTime(row.nextAttemptAt),
    createdAt: formatDateTime(row.createdAt),
    finishedAt: formatOptionalDateTime(row.finishedAt),
    resource: { type: row.resourceType, id: row.resourceId },
    isTest: row.isTest,
    replayOf: row.replayOf,
    bulkReplayId: row.bulkReplayId,
    wrongSignature: row.wrongSignature,
    testUrl: row.testUrl === null ? null : shortUrl(row.testUrl),
    number: row.eventNumber === null ? null : Number(row.eventNumber),
  };
}

/** A delivery as lists of the public API show it: with its last attempt. */
export function shownListedDelivery(row: ListedDeliveryRow): ListedDelivery {
  return {
    ...shownDelivery(row),
    lastAttempt: row.attemptId === null ? null : shownAttemptSummary(row),
  };
}

/** An attempt as lists of the public API show it: without the response and its exchange. */
export function shownAttemptSummary(row: AttemptSummaryRow): AttemptSummary {
  return {
    deliveryId: row.attemptId,
    number: row.number,
    startedAt: formatDateTime(row.startedAt),
    durationMs: row.durationMs,
    outcome: row.outcome,
    responseStatus: row.responseStatus,
    error: row.error,
  };
}

/** An attempt as the public API shows it. Response bytes that are not UTF-8 appear as U+FFFD. */
export function shownAttempt(row: AttemptRow): Attempt {
  return {
    ...shownAttemptSummary(row),
    responseHeaders: row.responseHeaders,
    responseBody: row.responseBody === null ? null : row.responseBody.toString('utf8'),
    remoteAddress: row.remoteAddress,
    secretVersion: row.secretVersion,
    exchange: row.exchange === null ? null : shownExchange(row.exchange),
  };
}

function shownExchange(stored: JsonValue): ExchangeSteps {
  const trace = fromJson(ExchangeTraceSchema, stored, { ignoreUnknownFields: true });
  const { certificateSubject: subject, certificateIssuer: issuer, certificateValidTo: validTo } = trace;
  const hasCertificate = [subject, issuer, validTo].some((part) => part !== undefined);
  return {
    dnsMs: trace.dnsMs ?? null,
    addresses: trace.addresses,
    connectMs: trace.connectMs ?? null,
    tlsMs: trace.tlsMs ?? null,
    tlsProtocol: trace.tlsProtocol ?? null,
    certificate: hasCertificate
      ? {
          subject: subject ?? null,
          issuer: issuer ?? null,
          validTo: validTo === undefined ? null : formatDateTime(timestampDate(validTo)),
        }
      : null,
    reusedConnection: trace.reusedConnection ?? false,
    firstByteMs: trace.firstByteMs ?? null,
  };
}

/** Reads a state from an RPC. */
export function stateOf(name: string): DeliveryStateName {
  return required(
    DELIVERY_STATES.find((known) => known === name),
    'known state',
  );
}
