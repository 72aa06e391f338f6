import { describe, expect, test } from '@jest/globals';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { z } from 'zod';
import { DAY_MS } from './partitioned-table.js';
import { makePartitionsAhead } from './run-retention.js';
import {
  at,
  database,
  idAt,
  idsIn,
  insertEvent,
  insertFinished,
  logged,
  metric,
  overdue,
  patient,
  run,
  runLoop,
  START,
} from './testing/retention-fixture.js';
import { runIdempotent } from '../idempotency/run-idempotent.js';
import { holdTransaction } from '../testing/hold-transaction.js';
import { binding } from '../testing/test-jobs.js';
import { countAttempts } from '../webhooks/statistics/count-attempts.js';

const KEY_DAYS = LIMITS.idempotencyRetentionDays;

const useKey = (now: Date) =>
  runIdempotent(
    { database, clock: () => now },
    {
      companyId: 'cmp_1',
      binding: binding('key'),
      result: z.string(),
      load: () => Promise.resolve(),
      work: () => Promise.resolve({ kind: 'done', result: now.toISOString() }),
    },
  );

/** Rows that only their age ends, shortest first: the days that they stay, and how one of an instant is written. */
const AGED: readonly (readonly [string, number, (instant: Date) => Promise<unknown>])[] = [
  ['idempotency_keys', KEY_DAYS, useKey],
  [
    'delivery_statistics',
    90,
    (startedAt) => {
      const attempt = { isTest: false, durationMs: 12, isDelivered: true, isDeadLetter: false };
      return database.transaction((tx) =>
        countAttempts(tx, [{ ...attempt, subscriptionId: 'whk_1', startedAt }]),
      );
    },
  ],
  [
    'audit_entries',
    400,
    (instant) =>
      database.query(
        `insert into audit_entries (id, company_id, action, subject_type, subject_id, details)
         values ($1, 'cmp_1', 'webhook.paused', 'webhook', 'whk_1', '{}')`,
        [idAt('aud', instant)],
      ),
  ],
];

test.each([
  ['in partitions', true],
  ['in the default partition', false],
])(
  'rows that only their age ends are kept for their days, %s [CONSOLE-7, CONSOLE-11, IDEM-6]',
  async (_where, isPartitioned) => {
    if (isPartitioned) await makePartitionsAhead(database, () => START);
    for (const [, , write] of AGED) await write(START);
    for (const [table, days] of AGED) {
      const left = async () => [table, (await database.query(`select from ${table}`)).length];
      await run(new Date(at(days).getTime() - 1));
      expect(await left()).toEqual([table, 1]);
      await run(at(days + 31));
      expect(await left()).toEqual([table, 0]);
    }
  },
);

describe('the outbox', () => {
  test('keeps unconfirmed messages of any age, and drops empty partitions', async () => {
    await makePartitionsAhead(database, () => START);
    await database.query(
      `insert into outbox (message_id, exchange, type, body, created_at) values
         ('stuck', 'e', 't', '', $1), ('never had a partition', 'e', 't', '', $2)`,
      [at(1), at(-50)],
    );
    await runLoop(at(500));
    expect(await idsIn('outbox', 'message_id')).toEqual(['never had a partition', 'stuck']);
    expect(await metric('partner_retention_overdue_partitions{table="outbox"}')).toBe('1');
    expect(logged).toContainEqual(overdue('outbox'));
    expect(await metric('partner_retention_dropped_partitions_total{table="outbox"}')).toBe('4');
    await database.query('delete from outbox');
    await run(at(500));
    const [left] = await database.query(`select to_regclass('outbox_p20241209')::text as name`);
    expect(left).toEqual({ name: null });
  });
});

describe('the run', () => {
  test('deletes any number of rows in batches, and no recent ones [NOTIFY-11]', async () => {
    await database.query(
      `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, expires_at)
       select 'cmp_1', 'key ' || n, 'POST /a', '\\x00', '{}', $1::timestamptz + make_interval(secs => 12001 - n)
       from generate_series(1, 12002) as n`,
      [at(-20)],
    );
    const keep = `update idempotency_keys set expires_at = $1 where key in ('key 1', 'key 2')`;
    await database.query(keep, [at(1)]);
    await database.query(
      `insert into inbox (message_id, received_at) values
         ('old', $1::timestamptz - interval '91 days'), ('young', $1::timestamptz - interval '89 days')`,
      [START],
    );
    await database.query(
      `with company as (insert into companies (id, name, class) values ('cmp_1', 'Seller', 'SALES'))
       insert into journal_entries (id, company_id, occurred_at, event, data, recorded_at) values
         ('old', 'cmp_1', $1, 'journal.payout_recorded', '{}', $1::timestamptz - interval '31 days'),
         ('young', 'cmp_1', $1, 'journal.payout_recorded', '{}', $1::timestamptz - interval '29 days')`,
      [START],
    );
    await database.query(
      `with owner as (
         insert into memberships (id, company_id, role, display_name) values ('mem_1', 'cmp_1', 'OWNER', 'Olive')
       )
       insert into notification_emails (membership_id, event_id, created_at) values
         ('mem_1', 'old', $1::timestamptz - interval '8 days'), ('mem_1', 'young', $1::timestamptz - interval '6 days')`,
      [START],
    );
    await database.query(
      `insert into security_notices (company_id, kind, subject_id, email, details, count, first_at, last_at, mailed_at)
       select 'cmp_1', 'owner_added', id, 'olive@seller.example', '{}', count, $1, $1::timestamptz - last, $1::timestamptz - mailed
       from (values ('mailed', 0, interval '2 days', interval '25 hours'), ('mailed now', 0, interval '2 days', interval '1 hour'),
         ('unsent', 1, interval '29 days', null), ('old', 1, interval '31 days', null)) as notice (id, count, last, mailed)`,
      [START],
    );
    await runLoop(START);
    expect(await idsIn('security_notices', 'subject_id')).toEqual(['mailed now', 'unsent']);
    expect(await idsIn('notification_emails', 'event_id')).toEqual(['young']);
    expect(await idsIn('journal_entries')).toEqual(['young']);
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

  test("drops nothing if the clock is ahead of the server's", async () => {
    await runLoop(new Date());
    const written = await insertEvent(new Date());
    await runLoop(new Date(Date.now() + 1_000 * DAY_MS));
    expect(await idsIn('events')).toEqual([written]);
  });

  test('handles the other tables if one is locked, logs that once, and does not count as a success', async () => {
    await makePartitionsAhead(database, () => START);
    const holder = await holdTransaction(patient(), (tx) =>
      tx.query('select 1 from idempotency_keys limit 1'),
    );
    await runLoop(at(600));
    await holder.release();
    expect(logged.filter(({ level }) => level === 'warn')).toMatchObject([{ message: 'retention.failing' }]);
    expect(await metric('partner_retention_last_success_timestamp_seconds')).toBe('0');
    expect(await metric('partner_retention_dropped_partitions_total{table="events"}')).toBe('5');
  });

  test('leaves the work to the process that is doing it', async () => {
    await makePartitionsAhead(database, () => START);
    const holder = await holdTransaction(patient(), (tx) =>
      tx.query('select pg_advisory_xact_lock(4207313)'),
    );
    await insertEvent(at(1));
    await runLoop(at(600));
    await holder.release();
    expect(await idsIn('events')).toHaveLength(1);
    expect(logged).toEqual([]);
    expect(await metric('partner_retention_last_success_timestamp_seconds')).toBe('0');
  });
});
