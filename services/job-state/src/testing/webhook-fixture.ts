import { randomUUID } from 'node:crypto';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AttemptOutcome,
  type AttemptSchema,
  DeliveriesAttemptedSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import type { Database, Transaction } from '../database/database.js';
import { createTestDatabase } from './test-database.js';
import type { DeliveryStateName } from '../webhooks/deliveries/delivery-columns.js';
import {
  createDeliveryResultsHandler,
  type DeliveryResultsDeps,
} from '../webhooks/attempts/delivery-results.js';
import { type RecordedEvent, recordEvent } from '../webhooks/events/record-event.js';

/** The stored state of a delivery, unfinished or finished. */
export interface StoredDelivery {
  readonly id: string;
  readonly subscription_id: string;
  readonly company_id: string;
  readonly event_id: string;
  readonly resource_id: string;
  readonly bulk_replay_id: string | null;
  readonly is_test: boolean;
  readonly state: DeliveryStateName;
  readonly attempts: number;
  readonly lease_id: string | null;
  readonly next_attempt_at: Date | null;
  readonly finished_at: Date | null;
  /** Milliseconds until the next attempt, by the database's clock. */
  readonly wait_ms: number | null;
}

/** Helpers of webhook tests for the rows of a database. */
export interface WebhookRows {
  readonly database: Database;
  company(companyClass?: CompanyClassName): Promise<string>;
  /** An active, verified subscription by default. */
  subscription(options: {
    readonly companyId: string;
    readonly events?: readonly string[];
    readonly state?: 'paused' | 'active';
    readonly schemaVersion?: number;
  }): Promise<string>;
  /** Records an `install.status_changed` of a job for the company. */
  record(tx: Transaction, companyId: string, jobId?: string): RecordedEvent;
  /** Does so in a transaction of its own and returns the event's id. */
  event(companyId: string, jobId?: string): Promise<string>;
  /** A company with one subscription, and deliveries of this many events to it, oldest first. */
  companyWith(events: number): Promise<{
    readonly companyId: string;
    readonly subscriptionId: string;
    readonly deliveries: readonly StoredDelivery[];
    readonly ids: readonly string[];
    /** The first one; empty without any. */
    readonly deliveryId: string;
  }>;
  /** Sets columns of a row. `assignments` is SQL. */
  set(table: string, id: string | null | undefined, assignments: string): Promise<unknown>;
  row(table: string, id: string): Promise<Readonly<Record<string, unknown>>>;
  delivery(id: string): Promise<StoredDelivery>;
  /** Since when an unfinished delivery is overdue; null: it is not. */
  overdueSince(id: string): Promise<Date | null>;
  deliveriesOf(subscriptionId: string): Promise<readonly StoredDelivery[]>;
  /** Number of deliveries under a lease. */
  leases(): Promise<number>;
  health(subscriptionId: string): Promise<string>;
  /** Moves the time of the next attempt, or the end of the lease, into the past. */
  makeDue(...deliveryIds: readonly string[]): Promise<void>;
  /** Finishes deliveries, as results would. */
  finish(
    state: 'delivered' | 'dead_lettered' | 'cancelled',
    ...deliveryIds: readonly string[]
  ): Promise<void>;
  setState(subscriptionId: string, state: 'paused' | 'active'): Promise<void>;
}

/** The same with a separate database. */
export interface WebhookFixture extends WebhookRows {
  close(): Promise<void>;
}

/** Creates the database. Call `close` at the end. */
export async function openWebhookFixture(): Promise<WebhookFixture> {
  const testDatabase = await createTestDatabase();
  return { ...webhookRows(testDatabase.database), close: () => testDatabase.drop() };
}

export function webhookRows(database: Database): WebhookRows {
  const rows: WebhookRows = {
    database,
    async company(companyClass = 'INSTALLER') {
      const id = newId('cmp');
      await database.query('insert into companies (id, name, class) values ($1, $1, $2)', [id, companyClass]);
      return id;
    },
    async subscription({ companyId, events = ['install.*'], state = 'active', schemaVersion = 1 }) {
      const id = newId('whk');
      await database.query(
        `with subscription as (
           insert into subscriptions (id, company_id, url, events, state, schema_version, verified_url_version, paused_at)
           values ($1, $2, $3, $4, $5, $6, 1, case $5 when 'paused' then now() end)
           returning id
         )
         insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
         select id, 1, '\\x5ea1ed', 'test' from subscription`,
        [id, companyId, `https://receiver.test/${id}`, events, state, schemaVersion],
      );
      return id;
    },
    record(tx, companyId, jobId = newId('job')) {
      const now = new Date();
      return recordEvent(tx, {
        companyId,
        event: 'install.status_changed',
        occurredAt: now,
        resource: { type: 'install_job', id: jobId, version: 2 },
        data: {
          jobId,
          previousStatus: 'ASSIGNED',
          status: 'ACKNOWLEDGED',
          occurredAt: now.toISOString(),
          note: null,
          blockerCode: null,
        },
        now,
      });
    },
    event: (companyId, jobId) => database.transaction((tx) => rows.record(tx, companyId, jobId).eventId),
    async companyWith(events) {
      const companyId = await rows.company();
      const subscriptionId = await rows.subscription({ companyId });
      for (let made = 0; made < events; made += 1) await rows.event(companyId);
      const deliveries = await rows.deliveriesOf(subscriptionId);
      const ids = deliveries.map(({ id }) => id);
      return { companyId, subscriptionId, deliveries, ids, deliveryId: ids[0] ?? '' };
    },
    set: (table, id, assignments) => database.query(`update ${table} set ${assignments} where id = $1`, [id]),
    async row(table, id) {
      const [row] = await database.query(`select * from ${table} where id = $1`, [id]);
      invariant(row, 'the row exists');
      return row;
    },
    async delivery(id) {
      const [row] = await database.query<StoredDelivery>(
        `select *, (extract(epoch from next_attempt_at - now()) * 1000)::double precision as wait_ms
         from all_deliveries where id = $1`,
        [id],
      );
      invariant(row, 'the delivery exists');
      return row;
    },
    async overdueSince(id) {
      const [row] = await database.query<{ since: Date | null }>(
        'select overdue_since as since from deliveries where id = $1',
        [id],
      );
      invariant(row, 'the delivery is unfinished');
      return row.since;
    },
    deliveriesOf: (subscriptionId) =>
      database.query<StoredDelivery>(
        `select *, (extract(epoch from next_attempt_at - now()) * 1000)::double precision as wait_ms
         from all_deliveries where subscription_id = $1 order by id`,
        [subscriptionId],
      ),
    async leases() {
      const rows = await database.query('select 1 from deliveries where lease_id is not null');
      return rows.length;
    },
    async health(subscriptionId) {
      const [row] = await database.query<{ health: string }>(
        'select health from subscriptions where id = $1',
        [subscriptionId],
      );
      invariant(row, 'the subscription exists');
      return row.health;
    },
    async makeDue(...deliveryIds) {
      await database.query(
        `update deliveries set next_attempt_at = now() - interval '1 second' where id = any($1::text[])`,
        [deliveryIds],
      );
    },
    async finish(state, ...deliveryIds) {
      await database.query(
        `with ended as (
           delete from deliveries where id = any($1::text[]) returning *
         )
         insert into finished_deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test,
           secret_version, replay_of, bulk_replay_id, state, attempts, created_at, finished_at, number)
         select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, secret_version,
           replay_of, bulk_replay_id, $2, attempts, created_at, now(), number
         from ended`,
        [deliveryIds, state],
      );
    },
    async setState(subscriptionId, state) {
      await database.query(
        `update subscriptions set state = $2, paused_at = case $2 when 'paused' then now() end where id = $1`,
        [subscriptionId, state],
      );
    },
  };
  return rows;
}

/** The handler of results over a database. Its backoffs have no jitter. */
export function resultsHandler(
  database: Pick<Database, 'transaction'>,
  {
    metrics = new Registry(),
    logger = silentLogger,
  }: Partial<Pick<DeliveryResultsDeps, 'metrics' | 'logger'>> = {},
): ReturnType<typeof createDeliveryResultsHandler> {
  return createDeliveryResultsHandler({ database, logger, metrics, retryBaseMs: 60_000, random: () => 0 });
}

/** The message with which a dispatcher reports the result of an attempt, with other fields of it. */
export function attemptedMessage({
  deliveryId,
  leaseId,
  attemptId = newId('dlv'),
  startedAt = new Date(),
  outcome = AttemptOutcome.DELIVERED,
  certificate,
  urlVersion = 1,
  retryAfterSeconds,
  ...attempt
}: {
  readonly deliveryId: string;
  readonly leaseId: string | null;
  readonly attemptId?: string;
  readonly startedAt?: Date;
  readonly certificate?: { readonly validFrom?: Date; readonly validTo: Date };
  readonly urlVersion?: number;
  readonly retryAfterSeconds?: number;
} & Omit<MessageInitShape<typeof AttemptSchema>, 'deliveryId' | 'startedAt' | '$typeName'>): IncomingMessage {
  const timestamp = (at: Date | undefined) => at && timestampFromDate(at);
  const body = create(DeliveriesAttemptedSchema, {
    results: [
      {
        ...{ deliveryId, leaseId: leaseId ?? 'no lease', urlVersion, retryAfterSeconds },
        attempt: {
          ...{ number: 1, durationMs: 12, secretVersion: 1, outcome },
          responseStatus: outcome === AttemptOutcome.DELIVERED ? 204 : 500,
          responseHeaders: { headers: [{ name: 'server', value: 'n' }] },
          responseBody: Buffer.from('kept'),
          exchange: certificate && {
            certificateValidFrom: timestamp(certificate.validFrom),
            certificateValidTo: timestamp(certificate.validTo),
          },
          ...attempt,
          ...{ deliveryId: attemptId, startedAt: timestampFromDate(startedAt) },
        },
      },
    ],
  });
  return {
    messageId: randomUUID(),
    type: DeliveriesAttemptedSchema.typeName,
    body: toBinary(DeliveriesAttemptedSchema, body),
    headers: {},
    redelivered: false,
  };
}
