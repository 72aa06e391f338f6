import { HEADERS_VERSION } from '@partner/kernel/security/secret-sealing';
import { type Column, computed, type RowOf, selectList } from '../../database/columns.js';
import { DELIVERY } from './delivery-columns.js';

/** The sealed custom headers of a subscription `s`; null without any. */
const SEALED_HEADERS = `case when s.header_names <> '{}' then (
      select headers.sealed from subscription_secrets headers where headers.subscription_id = s.id and headers.version = ${HEADERS_VERSION}
    ) end`;

const renamed = <Value>({ name }: Column<unknown>) => computed<Value>((d) => `${d}.${name}`);

/** What an attempt needs, from a delivery that the statement has leased, its subscription `s` and the `secret` that signs it. */
const LEASED = {
  id: DELIVERY.id,
  leaseId: renamed<string>(DELIVERY.leaseId),
  /** By the database's clock. */
  leasedAt: computed<Date>(() => 'statement_timestamp()'),
  /** By the database's clock. */
  leaseExpiresAt: renamed<Date>(DELIVERY.dueAt),
  /** Number of the next attempt, from 1. */
  attempt: computed<number>((d) => `${d}.attempts + 1`),
  subscriptionId: DELIVERY.subscriptionId,
  /** Whether the latest attempt of the subscription, of any delivery, failed. */
  lastAttemptFailed: computed<boolean>(() => 's.failures_in_row > 0'),
  url: computed<string>((d) => `coalesce(${d}.test_url, s.url)`),
  urlVersion: computed<number>(() => 's.url_version'),
  secretVersion: computed<number>(
    (d) => `case when ${d}.wrong_secret is null then secret.version else ${d}.secret_version end`,
  ),
  sealedSecret: computed<Buffer>((d) => `coalesce(${d}.wrong_secret, secret.sealed)`),
  sealedHeaders: computed<Buffer | null>(
    (d) => `case when ${d}.test_url is null then ${SEALED_HEADERS} else ${d}.test_headers end`,
  ),
  /** A test with a wrong signature must have no right one. */
  asymmetricSignature: computed<boolean>((d) => `s.asymmetric_signature and ${d}.wrong_secret is null`),
  eventId: DELIVERY.eventId,
  event: DELIVERY.event,
  isTest: DELIVERY.isTest,
  /** Number of the event among those of the subscription, a decimal text; null: a test, or queued before there were numbers. */
  number: DELIVERY.number,
} as const;

/** What is published of the event: its bytes, and the trace and the request that caused it. */
const OF_EVENT = {
  body: computed<Buffer>((event) => `${event}.body`),
  traceParent: computed<string | null>((event) => `${event}.trace_parent`),
  requestId: computed<string | null>((event) => `${event}.request_id`),
} as const;

export const leasedColumns = (delivery: string) => selectList(LEASED, delivery);
export const leasedEventColumns = (event: string) => selectList(OF_EVENT, event);

export type LeasedRow = RowOf<typeof LEASED>;

export type LeasedDelivery = LeasedRow & RowOf<typeof OF_EVENT>;
