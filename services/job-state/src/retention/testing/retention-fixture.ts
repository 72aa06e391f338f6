import { afterEach, beforeEach } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { Registry } from 'prom-client';
import type { PartitionKey } from '../../database/table.js';
import { DAY_MS, partitionBound } from '../partitioned-table.js';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';
import { runRetention } from '../run-retention.js';
import { startRetention } from '../start-retention.js';
import type { Database } from '../../database/database.js';
import { createTestDatabase, type TestDatabase } from '../../testing/test-database.js';
import { insertCompany } from '../../testing/test-jobs.js';
import { webhookRows } from '../../testing/webhook-fixture.js';

/** A Monday on which a week begins and, for the feed, 30 days. */
export const START = new Date('2024-12-09T00:00:00.000Z');

let testDatabase: TestDatabase;
export let database: Database;
let metrics: Registry;
export let logged: { level: string; fields: object; message: string | undefined }[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  logged = [];
});

afterEach(() => testDatabase.drop());

/** Another session, whose transactions may be idle for as long as a run of retention takes. */
export const patient = () => testDatabase.connect({ idleInTransactionMs: 0 });

export const at = (days: number) => new Date(START.getTime() + days * DAY_MS);

/** What is logged of the first partition of a table that stays. */
export const overdue = (table: string) => ({
  ...{ level: 'info', message: 'retention.partition_overdue' },
  fields: { table, partition: `${table}_p20241209` },
});

const logger = {
  info: (fields: object, message?: string) => logged.push({ level: 'info', fields, message }),
  warn: (fields: object, message?: string) => logged.push({ level: 'warn', fields, message }),
};

/** One run at an instant, as the loop does it. */
export async function run(now: Date, on: Pick<Database, 'query' | 'transaction'> = database): Promise<void> {
  const nothing = () => undefined;
  const noMetrics = { dropped: nothing, purged: nothing, archived: nothing, kept: nothing };
  await runRetention({ database: on, settings: STANDARD_RETENTION, logger, metrics: noMetrics }, now);
}

/** Starts the loop at an instant, with separate metrics, and stops it after one run. */
export async function runLoop(now: Date): Promise<void> {
  metrics = new Registry();
  const deps = { database, settings: STANDARD_RETENTION, clock: () => now, logger, metrics };
  await startRetention({ ...deps, intervalMs: 3_600_000 }).stop();
}

export const metric = async (line: string) =>
  new RegExp(`^${line.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(await metrics.metrics())?.[1];

export function idAt(prefix: 'evt' | 'dlv' | 'aud', instant: Date): string {
  const key: PartitionKey = { kind: 'id', column: 'id', prefix };
  return partitionBound(key, instant).slice(0, -16) + newId(prefix).slice(-16);
}

export async function insertEvent(instant: Date): Promise<string> {
  const id = idAt('evt', instant);
  await database.query(
    `insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, created_at)
     values ($1, 'cmp_1', 'install.status_changed', 1, $2, 'job', 'job_1', 1, '\\x626f6479', $2)`,
    [id, instant],
  );
  return id;
}

export async function insertUnfinished(
  instant: Date,
  given: { readonly eventId: string; readonly state?: string; readonly subscriptionId?: string },
): Promise<string> {
  const id = idAt('dlv', instant);
  const { eventId, state = 'held', subscriptionId = 'whk_1' } = given;
  await database.query(
    `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id, state, created_at)
     select $1, $2, company_id, id, name, resource_type, resource_id, $4, $5 from events where id = $3`,
    [id, subscriptionId, eventId, state, instant],
  );
  return id;
}

/** A finished delivery with its one attempt. */
export async function insertFinished(
  instant: Date,
  given: { readonly eventId: string; readonly finishedAt?: Date; readonly subscriptionId?: string },
): Promise<string> {
  const id = idAt('dlv', instant);
  const { eventId, finishedAt = instant, subscriptionId = 'whk_1' } = given;
  await database.query(
    `insert into finished_deliveries
       (id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, state, attempts, created_at,
        finished_at)
     values ($1, $2, 'cmp_1', $3, 'install.status_changed', 'job', 'job_1', false, 'delivered', 1, $4, $5)`,
    [id, subscriptionId, eventId, instant, finishedAt],
  );
  await database.query(
    `insert into delivery_attempts (delivery_id, id, number, started_at, duration_ms, outcome, secret_version, recorded_at)
     values ($1, $2, 1, $3, 1, 'delivered', 1, $3)`,
    [id, newId('dlv'), finishedAt],
  );
  return id;
}

export async function insertSubscription(deletedAt: Date | null): Promise<string> {
  const companyId = await insertCompany(database, 'INSTALLER');
  const id = await webhookRows(database).subscription({ companyId });
  await database.query('update subscriptions set deleted_at = $2 where id = $1', [id, deletedAt]);
  return id;
}

export async function insertBulkReplay(from: Date, to: Date, state: string): Promise<void> {
  const subscriptionId = await insertSubscription(null);
  await database.query(
    `insert into bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, state, total)
     values ($1, $1, 'cmp_1', 'backfill', $2, $3, 60, $4, 1)`,
    [subscriptionId, from, to, state],
  );
}

export const idsIn = async (table: string, column = 'id') =>
  (await database.query<{ id: string }>(`select ${column} as id from ${table} order by 1`)).map(
    ({ id }) => id,
  );
