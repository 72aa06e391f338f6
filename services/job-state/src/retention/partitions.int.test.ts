import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { LockTimeoutError } from '../database/server-failures.js';
import { createDatabase, type Database } from '../database/database.js';
import { beforeStatement } from '../testing/before-statement.js';
import { holdTransaction } from '../testing/hold-transaction.js';
import { createBareDatabase, createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import type { PartitionKey } from '../database/table.js';
import { partitionBound, type PartitionedTable } from './partitioned-table.js';
import { dropPartition, ensurePartitions, listPartitions, RetentionBusyError } from './partitions.js';

const KEY = { kind: 'id', column: 'id', prefix: 'evt' } as const satisfies PartitionKey;
const EVENTS: PartitionedTable = { name: 'events', key: KEY, widthDays: 7, aheadDays: 0 };
const CREATED = { kind: 'instant', column: 'created_at' } as const;
const OUTBOX: PartitionedTable = { name: 'outbox', key: CREATED, widthDays: 7, aheadDays: 0 };
/** A Wednesday. */
const NOW = new Date('2026-03-04T12:00:00.000Z');
const WEEKS = ['20260302', '20260309', '20260316', '20260323', '20260330'];

let testDatabase: TestDatabase;
let database: Database;

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
});

afterEach(() => testDatabase.drop());

async function insertEvent(at: string, into: Pick<Database, 'query'> = database): Promise<string> {
  const id = partitionBound(KEY, new Date(at)).slice(0, -16) + newId('evt').slice(-16);
  await into.query(
    `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body)
     values ($1, 'cmp_1', 'install.test', 1, now(), 'job', 'job_1', 1, '\\x7b7d')`,
    [id],
  );
  return id;
}

const placesOfEvents = () =>
  database.query<{ id: string; place: string }>(
    'select id, tableoid::regclass::text as place from events order by id',
  );

const namesOf = async (table: PartitionedTable) =>
  (await listPartitions(database, table)).map(({ name }) => name);

/** The database, where the first statement that contains a text hangs. */
const crashingAt = (text: string) =>
  beforeStatement(database, (statement) => {
    if (statement.includes(text)) throw new Error('crashed');
  });

/** Reads a table in a transaction of another session that stays open. */
const holdOpen = (table: string) =>
  holdTransaction(testDatabase.connect(), (tx) => tx.query(`select 1 from ${table} limit 1`));

describe('the partitions of a table', () => {
  test('exist for this week and the next four, and take over the rows of the default partition from their time', async () => {
    const before = await insertEvent('2026-03-01T23:59:59.999Z');
    const now = await insertEvent('2026-03-04T12:00:00.000Z');
    const later = await insertEvent('2026-03-09T00:00:00.000Z');
    await ensurePartitions(database, EVENTS, NOW);
    await ensurePartitions(database, EVENTS, NOW);
    const after = await insertEvent('2026-04-05T23:59:59.999Z');
    const beyond = await insertEvent('2026-04-06T00:00:00.000Z');
    expect(await namesOf(EVENTS)).toEqual(WEEKS.map((week) => `events_p${week}`));
    expect(await placesOfEvents()).toEqual([
      { id: before, place: 'events_default' },
      { id: now, place: 'events_p20260302' },
      { id: later, place: 'events_p20260309' },
      { id: after, place: 'events_p20260330' },
      { id: beyond, place: 'events_default' },
    ]);
  });

  test('are found in any time zone of the session', async () => {
    await ensurePartitions(database, OUTBOX, NOW);
    const week = { from: new Date('2026-03-02T00:00:00.000Z'), to: new Date('2026-03-09T00:00:00.000Z') };
    await database.transaction(async (tx) => {
      await tx.query(`set local time zone 'Asia/Kathmandu'`);
      expect((await listPartitions(tx, OUTBOX))[0]).toMatchObject(week);
    });
  });

  test('are created by one of two concurrent runs', async () => {
    const elsewhere = testDatabase.connect({ poolSize: 2 });
    const both = [database, elsewhere].map((each) => ensurePartitions(each, EVENTS, NOW));
    for (const outcome of await Promise.allSettled(both)) {
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(RetentionBusyError);
    }
    await ensurePartitions(database, EVENTS, NOW);
    expect(await namesOf(EVENTS)).toEqual(WEEKS.map((week) => `events_p${week}`));
  });

  test.each(['create_partition', 'insert into events_p', 'lock table events_default', 'attach_partition'])(
    'are unchanged if the process crashes at: %s',
    async (statement) => {
      const id = await insertEvent('2026-03-04T12:00:00.000Z');
      await expect(ensurePartitions(crashingAt(statement), EVENTS, NOW)).rejects.toThrow('crashed');
      expect(await placesOfEvents()).toEqual([{ id, place: 'events_default' }]);
      await ensurePartitions(database, EVENTS, NOW);
      expect(await placesOfEvents()).toEqual([{ id, place: 'events_p20260302' }]);
    },
  );

  test('time out on a table that is locked for long, block no writer for it, and are created the next time', async () => {
    const id = await insertEvent('2026-03-04T12:00:00.000Z');
    const holder = await holdOpen('events');
    const outcome = ensurePartitions(database, EVENTS, NOW).catch((error: unknown) => error);
    const written = await insertEvent('2026-03-05T12:00:00.000Z');
    expect(await outcome).toBeInstanceOf(LockTimeoutError);
    expect(await placesOfEvents()).toHaveLength(2);
    await holder.release();
    await ensurePartitions(database, EVENTS, NOW);
    expect(await placesOfEvents()).toEqual([
      { id, place: 'events_p20260302' },
      { id: written, place: 'events_p20260302' },
    ]);
  });

  test('take over a table that had none, without a loss, during concurrent writes', async () => {
    await database.query(
      `insert into events (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, sequence)
       select $1 || lpad(n::text, 16, '0'), 'cmp_1', 'install.test', 1, now(), 'job', 'job_1', 1, '\\x7b7d', 0
       from generate_series(1, 20000) as n`,
      [partitionBound(KEY, NOW).slice(0, -16)],
    );
    const elsewhere = testDatabase.connect({ poolSize: 4 });
    let isMade = false;
    let written = 0;
    const writers = Array.from({ length: 4 }, async () => {
      do {
        await insertEvent('2026-03-05T12:00:00.000Z', elsewhere);
        written += 1;
      } while (!isMade);
    });
    await ensurePartitions(database, EVENTS, NOW).finally(() => {
      isMade = true;
    });
    await Promise.all(writers);
    const places = await database.query<{ place: string; rows: number }>(
      'select tableoid::regclass::text as place, count(*)::int as rows from events group by 1',
    );
    expect(places).toEqual([{ place: 'events_p20260302', rows: 20_000 + written }]);
  });
});

describe('a partition that is dropped', () => {
  const first = async () => {
    const [partition] = await listPartitions(database, EVENTS);
    invariant(partition, 'there is a partition');
    return partition;
  };
  const dropFirst = async (rules: Parameters<typeof dropPartition>[3] = {}) =>
    dropPartition(database, EVENTS, await first(), rules);

  test('times out on a table that is read for long, blocks no writer for it, and is dropped the next time', async () => {
    await ensurePartitions(database, EVENTS, NOW);
    const holder = await holdOpen('events');
    const outcome = dropFirst().catch((error: unknown) => error);
    await insertEvent('2026-03-10T12:00:00.000Z');
    expect(await outcome).toBeInstanceOf(LockTimeoutError);
    await holder.release();
    const partition = await first();
    expect(await dropFirst()).toBe('dropped');
    // As for the second of two runs.
    expect(await dropPartition(database, EVENTS, partition, {})).toBe('gone');
  });

  test('stays if it becomes needed during the wait for the lock', async () => {
    await ensurePartitions(database, EVENTS, NOW);
    const needed = [false, true];
    expect(await dropFirst({ isNeeded: () => Promise.resolve(needed.shift() === true) })).toBe('needed');
    expect(await namesOf(EVENTS)).toHaveLength(5);
  });
});

describe('the migration program', () => {
  const childrenOf = async (url: string) => {
    const client = createDatabase({ url, poolSize: 1, logger: silentLogger });
    const rows = await client.query<{ table: string; name: string }>(
      `select inhparent::regclass::text as table, inhrelid::regclass::text as name
       from pg_inherits join pg_class on pg_class.oid = inhrelid where relkind = 'r' order by 1, 2`,
    );
    await client.end();
    return rows;
  };

  test('creates the partitions of the next weeks of every partitioned table; the migrations create only the default ones', async () => {
    const migrated = await childrenOf(testDatabase.url);
    const tables =
      `audit_entries delivery_attempts delivery_statistics events feed_entries finished_deliveries
      idempotency_keys job_status_events jobs outbox`.split(/\s+/);
    const defaults = migrated.filter(({ name }) => name.endsWith('_default'));
    expect(defaults.map(({ table }) => table)).toEqual(tables);
    const others = migrated.filter(({ name }) => !name.endsWith('_default'));
    expect(others.map(({ name }) => name)).toEqual(['job_status_events_open', 'jobs_open']);

    const bare = await createBareDatabase();
    const program = fileURLToPath(new URL('../migrate.js', import.meta.url));
    const env = { ...process.env, POSTGRES_URL: bare.url };
    await promisify(execFile)(process.execPath, [program], { env });
    const counts = new Map<string, number>();
    for (const { table } of await childrenOf(bare.url)) counts.set(table, (counts.get(table) ?? 0) + 1);
    expect([...counts.keys()]).toEqual(tables);
    expect(Math.min(...counts.values())).toBeGreaterThan(2);
    await bare.drop();
  });
});
