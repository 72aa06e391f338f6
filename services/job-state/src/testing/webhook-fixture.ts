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
import { type DeliveryStateName, RETAINED_COLUMNS } from '../webhooks/deliveries/delivery-columns.js';
import {
  createDeliveryResultsHandler,
  type DeliveryResultsDeps,
} from '../webhooks/attempts/delivery-results.js';
import { recordEvent } from '../webhooks/events/record-event.js';

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

type FinalState = 'delivered' | 'dead_lettered' | 'cancelled';

/** A list whose length the compiler knows, so that its items are never undefined. */
type ListOf<Item, Length extends number, List extends readonly Item[] = readonly []> = number extends Length
  ? readonly Item[]
  : List['length'] extends Length
    ? List
    : ListOf<Item, Length, readonly [...List, Item]>;

const isOf = <Item, Length extends number>(
  length: Length,
  list: readonly Item[],
): list is ListOf<Item, Length> & readonly Item[] => list.length === length;

export type WebhookFixture = Awaited<ReturnType<typeof openWebhookFixture>>;

export async function openWebhookFixture() {
  const testDatabase = await createTestDatabase();
  return { ...webhookRows(testDatabase.database), close: () => testDatabase.drop() };
}

export function webhookRows(database: Database) {
  /** An event of the next instant is not before it: times that job-state writes are whole milliseconds. */
  const NOW = `date_trunc('milliseconds', now())`;
  const WITH_WAIT = `select *, (extract(epoch from next_attempt_at - now()) * 1000)::double precision as wait_ms from all_deliveries`;

  async function company(companyClass: CompanyClassName = 'INSTALLER') {
    const id = newId('cmp');
    await database.query('insert into companies (id, name, class) values ($1, $1, $2)', [id, companyClass]);
    return id;
  }

  /** An active, verified subscription by default. */
  async function subscription(options: {
    readonly companyId: string;
    readonly events?: readonly string[];
    readonly state?: 'paused' | 'active';
    readonly schemaVersion?: number;
  }) {
    const { companyId, events = ['install.*'], state = 'active', schemaVersion = 1 } = options;
    const id = newId('whk');
    await database.query(
      `with subscription as (
         insert into subscriptions (id, company_id, url, events, state, schema_version, verified_url_version, paused_at)
         values ($1, $2, $3, $4, $5, $6, 1, case $5 when 'paused' then ${NOW} end)
         returning id
       )
       insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
       select id, 1, '\\x5ea1ed', 'test' from subscription`,
      [id, companyId, `https://receiver.test/${id}`, events, state, schemaVersion],
    );
    return id;
  }

  /** Records an `install.status_changed` of a job for the company, which changes all fields if none are given. */
  function record(tx: Transaction, companyId: string, jobId?: string, changed?: readonly string[]) {
    const [now, id] = [new Date(), jobId ?? newId('job')];
    return recordEvent(tx, {
      ...{ companyId, event: 'install.status_changed', occurredAt: now },
      resource: { type: 'install_job', id, version: 2 },
      ...(changed !== undefined && { changed }),
      data: {
        ...{ jobId: id, previousStatus: 'ASSIGNED', status: 'ACKNOWLEDGED', occurredAt: now.toISOString() },
        ...{ note: null, blockerCode: null },
      },
      now,
    });
  }

  const event = (companyId: string, jobId?: string, changed?: readonly string[]) =>
    database.transaction((tx) => record(tx, companyId, jobId, changed).eventId);

  const deliveriesOf = (subscriptionId: string) =>
    database.query<StoredDelivery>(`${WITH_WAIT} where subscription_id = $1 order by id`, [subscriptionId]);

  /** Sets columns of a row. `assignments` is SQL. */
  const set = (table: string, id: string | null | undefined, assignments: string) =>
    database.query(`update ${table} set ${assignments} where id = $1`, [id]);

  /** Inserts a series of deliveries at once. `columns` are SQL of the number n; their id has no default. */
  function insertMany(
    table: 'deliveries' | 'finished_deliveries',
    of: { readonly companyId: string; readonly subscriptionId: string },
    series: readonly [from: number, to: number],
    columns: Readonly<Record<string, string>>,
  ) {
    const all = {
      ...{ subscription_id: `'${of.subscriptionId}'`, company_id: `'${of.companyId}'`, state: `'pending'` },
      ...{ event_id: `'evt_' || n`, event: `'install.status_changed'`, resource_type: `'install_job'` },
      ...{ resource_id: `'job_' || n`, is_test: 'false', created_at: 'now()' },
      ...(table === 'finished_deliveries' && { state: `'delivered'`, attempts: '1', finished_at: 'now()' }),
      ...columns,
    };
    const [names, values] = [Object.keys(all).join(), Object.values(all).join()];
    return database.query(
      `insert into ${table} (${names}) select ${values} from generate_series(${series.join()}) n`,
    );
  }

  async function row(table: string, id: string): Promise<Readonly<Record<string, unknown>>> {
    const [found] = await database.query(`select * from ${table} where id = $1`, [id]);
    invariant(found, 'the row exists');
    return found;
  }

  /** A company with one subscription, and deliveries of this many events to it, oldest first. */
  async function companyWith<Events extends number>(events: Events) {
    const companyId = await company();
    const subscriptionId = await subscription({ companyId });
    for (let made = 0; made < events; made += 1) await event(companyId);
    const deliveries = await deliveriesOf(subscriptionId);
    const ids = deliveries.map(({ id }) => id);
    invariant(isOf(events, deliveries) && isOf(events, ids), 'each event has a delivery');
    const first = { deliveryId: ids[0] ?? '', eventId: deliveries[0]?.event_id ?? '' };
    return { companyId, subscriptionId, deliveries, ids, ...first };
  }

  /** Finishes deliveries, as results would. */
  async function finish(state: FinalState, ...deliveryIds: readonly string[]): Promise<void> {
    await database.query(
      `with ended as (delete from deliveries where id = any($1::text[]) returning *)
       insert into finished_deliveries (${RETAINED_COLUMNS}, state, attempts, finished_at)
       select ${RETAINED_COLUMNS}, $2, attempts, now() from ended`,
      [deliveryIds, state],
    );
  }

  return {
    ...{
      database,
      company,
      subscription,
      record,
      event,
      deliveriesOf,
      set,
      insertMany,
      row,
      companyWith,
      finish,
    },
    async companyWithFinished<Events extends number>(state: FinalState, events: Events) {
      const side = await companyWith(events);
      await finish(state, ...side.ids);
      return side;
    },
    async delivery(id: string): Promise<StoredDelivery> {
      const [found] = await database.query<StoredDelivery>(`${WITH_WAIT} where id = $1`, [id]);
      invariant(found, 'the delivery exists');
      return found;
    },
    /** Since when an unfinished delivery is overdue; null: it is not. */
    overdueSince: async (id: string) => (await row('deliveries', id))['overdue_since'],
    leases: async () => (await database.query('select from deliveries where lease_id is not null')).length,
    health: async (subscriptionId: string) => (await row('subscriptions', subscriptionId))['health'],
    /** Moves the time of the next attempt, or the end of the lease, into the past. */
    async makeDue(...deliveryIds: readonly string[]) {
      const due = `update deliveries set next_attempt_at = now() - interval '1 second' where id = any($1::text[])`;
      await database.query(due, [deliveryIds]);
    },
    async setState(subscriptionId: string, state: 'paused' | 'active') {
      const pausedAt = state === 'paused' ? NOW : 'null';
      await set('subscriptions', subscriptionId, `state = '${state}', paused_at = ${pausedAt}`);
    },
    setDeleted: (subscriptionId: string) =>
      set('subscriptions', subscriptionId, `state = 'paused', paused_at = now(), deleted_at = now()`),
    /** Lets deliveries wait for a retry; with a negative number of seconds they are due. */
    async setRetrying(deliveryIds: readonly string[], waitSeconds: number, attempts = 1) {
      await database.query(
        `update deliveries set state = 'retry_scheduled', attempts = $3, next_attempt_at = now() + make_interval(secs => $2)
         where id = any($1::text[])`,
        [deliveryIds, waitSeconds, attempts],
      );
    },
  };
}

/** The handler of results over a database. Its backoffs have no jitter. */
export function resultsHandler(
  database: Pick<Database, 'transaction'>,
  { metrics = new Registry(), logger = silentLogger }: Partial<DeliveryResultsDeps> = {},
) {
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
