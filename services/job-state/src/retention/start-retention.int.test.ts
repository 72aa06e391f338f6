import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { z } from 'zod';
import { textOf } from '../database/connection-pool.js';
import { createDatabase, type Database } from '../database/database.js';
import { countAttempts } from '../webhooks/statistics/count-attempts.js';
import { claimAll } from '../testing/claim-all.js';
import { runIdempotent } from '../idempotency/run-idempotent.js';
import { readFeed } from '../jobs/feed.js';
import { listAssignedJobs } from '../jobs/list-assigned-jobs.js';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { binding, insertAssignedJob, insertCompany } from '../testing/test-jobs.js';
import { DAY_MS, partitionBound, type PartitionKey } from './partitioned-table.js';
import { STANDARD_RETENTION } from './retained-tables.js';
import { makePartitionsAhead, runRetention } from './run-retention.js';
import { startRetention } from './start-retention.js';

/** A Monday on which a week begins and, for the feed, 30 days. */
const START = new Date('2024-12-09T00:00:00.000Z');
const HOLDING_PERIOD_MS = 45 * DAY_MS;

let testDatabase: TestDatabase;
let database: Database;
let metrics: Registry;
let logged: { level: string; fields: object; message: string | undefined }[];

beforeEach(async () => {
  testDatabase = await createTestDatabase();
  ({ database } = testDatabase);
  logged = [];
});

afterEach(() => testDatabase.drop());

const at = (days: number) => new Date(START.getTime() + days * DAY_MS);

const logger = {
  info: (fields: object, message?: string) => logged.push({ level: 'info', fields, message }),
  warn: (fields: object, message?: string) => logged.push({ level: 'warn', fields, message }),
};

/** One run at an instant, as the loop does it. */
async function run(now: Date, on: Pick<Database, 'query' | 'transaction'> = database): Promise<void> {
  const noMetrics = { dropped: () => undefined, purged: () => undefined, kept: () => undefined };
  await runRetention({ database: on, settings: STANDARD_RETENTION, logger, metrics: noMetrics }, now);
}

/** Starts the loop at an instant, with separate metrics, and stops it after one run. */
async function runLoop(now: Date, on: Pick<Database, 'query' | 'transaction'> = database): Promise<void> {
  metrics = new Registry();
  const loop = startRetention({
    database: on,
    settings: STANDARD_RETENTION,
    clock: () => now,
    logger,
    metrics,
    intervalMs: 3_600_000,
  });
  await loop.stop();
}

const metric = async (line: string) =>
  new RegExp(`^${line.replaceAll(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(await metrics.metrics())?.[1];

function idAt(prefix: 'evt' | 'dlv' | 'aud', instant: Date): string {
  const key: PartitionKey = { kind: 'id', column: 'id', prefix };
  return partitionBound(key, instant).slice(0, -16) + newId(prefix).slice(-16);
}

async function insertEvent(instant: Date): Promise<string> {
  const id = idAt('evt', instant);
  await database.query(
    `insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, created_at)
     values ($1, 'cmp_1', 'install.status_changed', 1, $2, 'job', 'job_1', 1, '\\x626f6479', $2)`,
    [id, instant],
  );
  return id;
}

async function insertUnfinished(
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
async function insertFinished(
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

async function insertSubscription(deletedAt: Date | null): Promise<string> {
  const id = newId('whk');
  const companyId = await insertCompany(database, 'INSTALLER');
  await database.query(
    `insert into subscriptions (id, company_id, url, events, schema_version, state, deleted_at)
     values ($1, $2, 'https://receiver.test/', '{install.*}', 1, 'active', $3)`,
    [id, companyId, deletedAt],
  );
  await database.query(
    `insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id) values ($1, 1, '\\x5ea1ed', 'test')`,
    [id],
  );
  return id;
}

async function insertBulkReplay(from: Date, to: Date, state: string): Promise<void> {
  const subscriptionId = await insertSubscription(null);
  await database.query(
    `insert into bulk_replays (id, subscription_id, company_id, kind, from_time, to_time, per_minute, state, total)
     values ($1, $1, 'cmp_1', 'backfill', $2, $3, 60, $4, 1)`,
    [subscriptionId, from, to, state],
  );
}

const idsIn = async (table: string, column = 'id') =>
  (await database.query<{ id: string }>(`select ${column} as id from ${table} order by 1`)).map(
    ({ id }) => id,
  );

describe('deliveries and their events', () => {
  test('are kept for 90 days from the end of their week, with their attempts, and events for 30 days more [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(0));
    const old = await insertFinished(at(6.9), { eventId });
    const young = await insertFinished(at(7), { eventId });

    await run(at(7 + 90 - 0.1));
    expect(await idsIn('finished_deliveries')).toEqual([old, young]);
    await run(at(7 + 90));
    expect(await idsIn('finished_deliveries')).toEqual([young]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([young]);
    await run(at(14 + 90));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([]);

    await run(at(7 + 120 - 0.1));
    expect(await idsIn('events')).toEqual([eventId]);
    await run(at(7 + 120));
    expect(await idsIn('events')).toEqual([]);
  });

  test('are sent with their body after a year of waiting, when everything that finished then is deleted [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    const subscriptionId = await insertSubscription(null);
    const [eventId, finishedEventId] = [await insertEvent(at(1)), await insertEvent(at(8))];
    const deliveryId = await insertUnfinished(at(1), { eventId, state: 'held', subscriptionId });
    await insertFinished(at(8), { eventId: finishedEventId });
    const inDefault = await insertEvent(at(-400));
    await insertUnfinished(at(-400), { eventId: inDefault });

    await run(at(366));
    expect(await idsIn('events')).toEqual([inDefault, eventId]);
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(logged).toContainEqual({
      level: 'info',
      fields: { table: 'events', partition: 'events_p20241209' },
      message: 'retention.partition_overdue',
    });
    await database.query(`update deliveries set state = 'pending' where id = $1`, [deliveryId]);
    const limits = { batchSize: 10, leaseSeconds: 30, inFlight: 10, subscriptionCap: 10 };
    expect(await claimAll(database, limits)).toMatchObject([{ id: deliveryId, body: Buffer.from('body') }]);

    await database.query('delete from deliveries');
    await run(at(366));
    expect(await idsIn('events')).toEqual([]);
  });

  test('that finished long after their week are readable for 90 days from then on [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(1));
    await run(at(300));
    expect(await idsIn('events')).toEqual([]);

    const late = await insertFinished(at(1), { eventId, finishedAt: at(300) });
    await run(at(389));
    expect(await idsIn('finished_deliveries')).toEqual([late]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([late]);
    await run(at(391));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([]);
  });

  test('keep the event of a replay as long as the replay itself [DELIVERY-18]', async () => {
    await makePartitionsAhead(database, () => START);
    await makePartitionsAhead(database, () => at(100));
    const eventId = await insertEvent(at(1));
    await insertFinished(at(101), { eventId });
    await run(at(150));
    expect(await idsIn('events')).toEqual([eventId]);
    await run(at(105 + 90));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('events')).toEqual([]);
  });

  test('stay if they finished late, although their week has long passed', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(1));
    const late = await insertFinished(at(1), { eventId, finishedAt: at(95) });
    await run(at(100));
    expect(await idsIn('finished_deliveries')).toEqual([late]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([late]);
    await run(at(95 + 91));
    expect(await idsIn('finished_deliveries')).toEqual([]);
    expect(await idsIn('delivery_attempts', 'delivery_id')).toEqual([]);
  });

  test('do not stay for a bulk replay, which skips deleted ones', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(1));
    await insertFinished(at(1), { eventId });
    await insertBulkReplay(at(-2), at(2), 'running');
    await run(at(366));
    expect(await idsIn('events')).toEqual([]);
    expect(await idsIn('finished_deliveries')).toEqual([]);
  });

  test('outlive their deleted subscription, and then it is deleted too', async () => {
    const eventId = await insertEvent(at(1));
    const [unfinished, finished, empty, present] = [
      await insertSubscription(at(2)),
      await insertSubscription(at(2)),
      await insertSubscription(at(2)),
      await insertSubscription(null),
    ];
    await insertUnfinished(at(1), { eventId, subscriptionId: unfinished });
    await insertFinished(at(1), { eventId, subscriptionId: finished });
    await run(at(2.5));
    expect(await idsIn('subscriptions')).toEqual([unfinished, finished, empty, present].sort());
    await run(at(4));
    expect(await idsIn('subscriptions')).toEqual([unfinished, finished, present].sort());
    await run(at(100));
    expect(await idsIn('subscriptions')).toEqual([unfinished, present].sort());
  });
});

test.each([
  ['in partitions of a week', true],
  ['in the default partition', false],
])('statistics are kept for 90 days: %s [CONSOLE-7]', async (_where, isPartitioned) => {
  if (isPartitioned) await makePartitionsAhead(database, () => START);
  const attempt = { isTest: false, durationMs: 12, isDelivered: true, isDeadLetter: false };
  await database.transaction((tx) =>
    countAttempts(tx, [
      { ...attempt, subscriptionId: 'whk_old', startedAt: at(6.9) },
      { ...attempt, subscriptionId: 'whk_young', startedAt: at(7) },
    ]),
  );
  const subscriptions = () => idsIn('delivery_statistics', 'subscription_id');

  await run(at((isPartitioned ? 7 : 6.9) + 90 - 0.1));
  expect(await subscriptions()).toEqual(['whk_old', 'whk_young']);
  await run(at(7 + 90));
  expect(await subscriptions()).toEqual(['whk_young']);
  await run(at(14 + 90));
  expect(await subscriptions()).toEqual([]);
});

describe('the feed', () => {
  async function append(companyId: string, sequence: number, changedAt: Date): Promise<void> {
    await database.query(
      `with head as (
         insert into feed_heads (company_id, last) values ($1, $2)
         on conflict (company_id) do update set last = excluded.last
       )
       insert into feed_entries (company_id, sequence, job_id, changed_at, resource) values ($1, $2, 'job_1', $3, '{}')`,
      [companyId, sequence, changedAt],
    );
  }
  const read = async (companyId: string, afterSequence: string | undefined) =>
    (await readFeed(database, { companyId, afterSequence, limit: 100 })).entries.map(
      ({ sequence }) => sequence,
    );
  const reasonOf = (error: unknown) => ServiceError.from(error).reason;
  const tooOld = {
    reason: 'cursor_invalid',
    message: 'cursor: is too old: the feed is kept for 400 days; begin again with view=snapshot',
    attributes: { details: [{ path: 'cursor' }] },
  };
  const dropsAt = at(430);

  test.each([
    ['in partitions of 30 days', true],
    ['in the default partition', false],
  ])(
    'is kept for 400 days, and no reader can skip a purged part: %s [FEED-8]',
    async (_where, isPartitioned) => {
      // Adjacent partitions of 30 days from 2024-12-13 on.
      if (isPartitioned) await makePartitionsAhead(database, () => at(4));
      const [long, quiet, young] = [
        await insertCompany(database, 'INSTALLER'),
        await insertCompany(database, 'INSTALLER'),
        await insertCompany(database, 'INSTALLER'),
      ];
      for (const [sequence, day] of [5, 10, 40, 20, 45].entries()) await append(long, sequence + 1, at(day));
      await append(quiet, 1, at(6));
      await append(young, 1, at(41));

      await run(at(4 + 400));
      expect(await read(long, '0')).toEqual(['1', '2', '3', '4', '5']);
      await run(isPartitioned ? at(4 + 30 + 400) : at(425));
      // The third is younger than the fourth, which is purged: to show it would hide a gap.
      expect(await read(long, '0')).toEqual(['5']);
      expect(await read(long, undefined)).toEqual(['5']);
      expect(await read(long, '4')).toEqual(['5']);
      for (const cursor of ['1', '2', '3']) {
        await expect(read(long, cursor)).rejects.toMatchObject(tooOld);
      }
      expect(await read(quiet, '0')).toEqual([]);
      expect(await read(quiet, '1')).toEqual([]);
      expect(await read(young, '0')).toEqual(['1']);
    },
  );

  test('that is purged leaves a snapshot of every job, from which a reader continues [FEED-8]', async () => {
    const seller = await insertCompany(database, 'SALES');
    const companyId = await insertCompany(database, 'INSTALLER');
    const jobs = [
      await insertAssignedJob(database, seller, companyId),
      await insertAssignedJob(database, seller, companyId),
    ];
    await database.query('update feed_entries set changed_at = $1', [at(0)]);
    await run(dropsAt);
    await expect(read(companyId, '1')).rejects.toMatchObject(tooOld);
    const snapshot = await listAssignedJobs(database, { companyId, afterJobId: undefined, limit: 10 });
    expect(snapshot.jobs.map(({ jobId }) => jobId)).toEqual(jobs);
    expect(await read(companyId, snapshot.feedSequence)).toEqual([]);
  });

  test('returns all entries after the cursor or refuses it, whenever the partition is dropped [FEED-8]', async () => {
    await makePartitionsAhead(database, () => at(4));
    const companyId = await insertCompany(database, 'INSTALLER');
    for (let sequence = 1; sequence <= 4; sequence += 1) {
      await append(companyId, sequence, sequence <= 2 ? at(5) : at(40));
    }
    const answer = () => read(companyId, '1').then(String, reasonOf);
    let isOver = false;
    const readers = Array.from({ length: 4 }, async () => {
      const seen = new Set<string>();
      while (!isOver) seen.add(await answer());
      return seen;
    });
    // The table may be locked for too long: then the next run drops the partition.
    const isDropped = async () => {
      await run(at(4 + 30 + 400)).catch(() => undefined);
      const [left] = await database.query<{ name: string | null }>(
        `select to_regclass('feed_entries_p20241213')::text as name`,
      );
      return left?.name === null;
    };
    await eventually('the partition is dropped', isDropped).finally(() => {
      isOver = true;
    });
    for (const seen of await Promise.all(readers)) {
      expect([...seen].filter((text) => !['2,3,4', 'cursor_invalid'].includes(text))).toEqual([]);
    }
    expect(await answer()).toBe('cursor_invalid');
  });

  test('is not dropped without its mark', async () => {
    await makePartitionsAhead(database, () => at(4));
    const companyId = await insertCompany(database, 'INSTALLER');
    await append(companyId, 1, at(5));
    const failing: Pick<Database, 'query' | 'transaction'> = {
      query: (text, values) => database.query(text, values),
      transaction: (work, limits) =>
        database.transaction(
          (tx) =>
            work({
              ...tx,
              query: (text, values) =>
                textOf(text).startsWith('select drop_partition')
                  ? Promise.reject(new Error('crashed'))
                  : tx.query(text, values),
            }),
          limits,
        ),
    };
    await expect(run(at(600), failing)).rejects.toThrow('crashed');
    expect(await read(companyId, '0')).toEqual(['1']);
  });
});

describe('idempotency keys', () => {
  const use = (key: string, now: Date) =>
    runIdempotent(
      { database, clock: () => now },
      {
        companyId: 'cmp_1',
        binding: binding(key),
        result: z.string(),
        load: () => Promise.resolve(),
        work: () => Promise.resolve({ kind: 'done', result: now.toISOString() }),
      },
    );

  test.each([
    ['in partitions of 15 days', true],
    ['in the default partition', false],
  ])(
    'return the first outcome for 45 days and are then deleted: %s [IDEM-5, IDEM-6]',
    async (_where, isPartitioned) => {
      if (isPartitioned) await makePartitionsAhead(database, () => START);
      await use('key', START);
      const last = new Date(START.getTime() + HOLDING_PERIOD_MS - 1);
      await run(last);
      expect(await use('key', last)).toMatchObject({
        result: START.toISOString(),
        idempotency: { replayed: true },
      });
      await run(new Date(START.getTime() + HOLDING_PERIOD_MS + 17 * DAY_MS));
      expect(await database.query('select 1 from idempotency_keys')).toEqual([]);
    },
  );
});

describe('the outbox', () => {
  const insert = (messageId: string, createdAt: Date) =>
    database.query(
      `insert into outbox (message_id, exchange, type, body, created_at) values ($1, 'e', 't', '', $2)`,
      [messageId, createdAt],
    );

  test('keeps unconfirmed messages of any age, and drops empty partitions', async () => {
    await makePartitionsAhead(database, () => START);
    await insert('stuck', at(1));
    await insert('never had a partition', at(-50));
    await runLoop(at(500));
    expect(await idsIn('outbox', 'message_id')).toEqual(['never had a partition', 'stuck']);
    expect(await metric('partner_retention_overdue_partitions{table="outbox"}')).toBe('1');
    expect(logged).toContainEqual({
      level: 'info',
      fields: { table: 'outbox', partition: 'outbox_p20241209' },
      message: 'retention.partition_overdue',
    });
    expect(await metric('partner_retention_dropped_partitions_total{table="outbox"}')).toBe('4');
    await database.query('delete from outbox');
    await run(at(500));
    const [left] = await database.query(`select to_regclass('outbox_p20241209')::text as name`);
    expect(left).toEqual({ name: null });
  });
});

describe('the audit trail', () => {
  const write = (instant: Date) =>
    database.query(
      `insert into audit_entries (id, company_id, action, subject_type, subject_id, details)
       values ($1, 'cmp_1', 'webhook.paused', 'webhook', 'whk_1', '{}')`,
      [idAt('aud', instant)],
    );
  const left = async () => (await database.query('select 1 from audit_entries')).length;

  test.each(['in its partition', 'in the default partition'])(
    '%s is kept for 400 days [CONSOLE-11]',
    async (place) => {
      if (place === 'in its partition') await run(START);
      await write(at(0));
      await write(at(3));
      await run(at(399));
      expect(await left()).toBe(2);
      await run(at(404));
      expect(await left()).toBe(0);
    },
  );
});

describe('bulk replays', () => {
  test('are kept as long as deliveries from their end on, and forever while they run [DELIVERY-18]', async () => {
    await insertBulkReplay(at(0), at(1), 'running');
    const running = await idsIn('bulk_replays');
    for (const state of ['done', 'cancelled']) await insertBulkReplay(at(0), at(1), state);
    await database.query(`update bulk_replays set finished_at = $1 where state <> 'running'`, [at(10)]);

    await run(at(100));
    expect(await idsIn('bulk_replays')).toHaveLength(3);
    await runLoop(at(100.1));
    expect(await idsIn('bulk_replays')).toEqual(running);
    expect(await idsIn('subscriptions')).toHaveLength(3);
    expect(await metric('partner_retention_purged_rows_total{table="bulk_replays"}')).toBe('2');
  });
});

describe('the run', () => {
  test('deletes any number of rows in batches, and no recent ones', async () => {
    await database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, expires_at)
       select 'cmp_1', 'key ' || n, 'POST /a', '\\x00', '{}', $1::timestamptz + make_interval(secs => 12001 - n)
       from generate_series(1, 12002) as n`,
      [at(-20)],
    );
    await database.query(`update idempotency_keys set expires_at = $1 where key in ('key 1', 'key 2')`, [
      at(1),
    ]);
    await database.query(
      `insert into inbox (message_id, received_at) values
         ('old', $1::timestamptz - interval '91 days'), ('young', $1::timestamptz - interval '89 days')`,
      [START],
    );
    await runLoop(START);
    expect(await idsIn('idempotency_keys', 'key')).toEqual(['key 1', 'key 2']);
    expect(await idsIn('inbox', 'message_id')).toEqual(['young']);
    expect(await metric('partner_retention_purged_rows_total{table="idempotency_keys"}')).toBe('12000');
    expect(await metric('partner_retention_purged_rows_total{table="inbox"}')).toBe('1');
  });

  test('reports dropped rows, the age of the oldest data, and the time of success', async () => {
    await makePartitionsAhead(database, () => START);
    const eventId = await insertEvent(at(1));
    await insertFinished(at(1), { eventId });
    await database.query('analyze finished_deliveries');
    await runLoop(at(7 + 100));
    expect(await metric('partner_retention_dropped_partitions_total{table="finished_deliveries"}')).toBe('2');
    expect(await metric('partner_retention_purged_rows_total{table="finished_deliveries"}')).toBe('1');
    expect(await metric('partner_retention_oldest_seconds{table="events"}')).toBe(String(100 * 86_400));
    expect(await metric('partner_retention_oldest_seconds{table="idempotency_keys"}')).toBe('0');
    expect(await metric('partner_retention_last_success_timestamp_seconds')).toBe(
      String(at(107).getTime() / 1_000),
    );
  });

  test('does not treat a row in a default partition as recent', async () => {
    await insertEvent(at(1));
    await runLoop(at(2));
    await insertEvent(at(-20));
    await runLoop(at(3));
    expect(await metric('partner_retention_oldest_seconds{table="events"}')).toBe(String(23 * 86_400));
  });

  test("drops nothing if the clock is ahead of the server's", async () => {
    await runLoop(new Date());
    const written = await insertEvent(new Date());
    await runLoop(new Date(Date.now() + 1_000 * DAY_MS));
    expect(await idsIn('events')).toEqual([written]);
  });

  test('handles the other tables if one is locked, logs that once, and does not count as a success', async () => {
    await makePartitionsAhead(database, () => START);
    const elsewhere = createDatabase({ url: testDatabase.url, poolSize: 1, logger });
    const [held, released] = [createGate(), createGate()];
    const holder = elsewhere.transaction(async (tx) => {
      await tx.query('select 1 from idempotency_keys limit 1');
      held.open();
      await released.opened;
    });
    await held.opened;
    await runLoop(at(600));
    released.open();
    await holder;
    await elsewhere.end();
    expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([{ message: 'retention.failing' }]);
    expect(await metric('partner_retention_last_success_timestamp_seconds')).toBe('0');
    expect(await metric('partner_retention_dropped_partitions_total{table="events"}')).toBe('5');
  });

  test('leaves the work to the process that is doing it', async () => {
    await makePartitionsAhead(database, () => START);
    const busy: Pick<Database, 'query' | 'transaction'> = {
      query: (text, values) => database.query(text, values),
      transaction: (work, limits) =>
        database.transaction(
          (tx) =>
            work({
              ...tx,
              query: (text, values) =>
                tx.query(textOf(text).replace('pg_try_advisory_xact_lock($1)', '$1::int < 0'), values),
            }),
          limits,
        ),
    };
    await insertEvent(at(1));
    await runLoop(at(600), busy);
    expect(await idsIn('events')).toHaveLength(1);
    expect(logged).toEqual([]);
    expect(await metric('partner_retention_last_success_timestamp_seconds')).toBe('0');
  });

  test('leaves the ages unknown while the database is down', async () => {
    const away: Pick<Database, 'query' | 'transaction'> = {
      query: () => Promise.reject(new Error('away')),
      transaction: () => Promise.reject(new Error('away')),
    };
    await runLoop(at(1), away);
    const age = await metric('partner_retention_oldest_seconds{table="events"}');
    invariant(age, 'the metric is there');
    expect(Number(age)).toBeNaN();
  });
});
