import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/runtime/logger';
import { eventually } from '@partner/runtime/testing/eventually';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { TEST_NOW } from '../testing/test-jobs.js';
import { startRetention } from './start-retention.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

test('what has passed its time is deleted, however much it is, and nothing else', async () => {
  const { database } = testDatabase;
  await database.query(
    `insert into idempotency_keys (company_id, key, operation, body_sha256, outcome, expires_at)
     select 'cmp_1', 'key ' || n, 'POST /a', '\\x00', '{}', $1::timestamptz + make_interval(secs => 12001 - n)
     from generate_series(1, 12002) as n`,
    [new Date(TEST_NOW.getTime() - 12_000_000)],
  );
  await database.query(
    `update idempotency_keys set expires_at = $1::timestamptz + interval '1 ms' where key in ('key 1', 'key 2')`,
    [TEST_NOW],
  );
  await database.query(
    `insert into inbox (message_id, received_at) values
       ('old', $1::timestamptz - interval '91 days'), ('young', $1::timestamptz - interval '89 days')`,
    [TEST_NOW],
  );
  const retention = startRetention({
    database,
    clock: () => TEST_NOW,
    logger: silentLogger,
    intervalMs: 3_600_000,
  });
  const isDone = async () =>
    (await database.query<{ n: number }>('select count(*)::int as n from idempotency_keys'))[0]?.n === 2;
  await eventually('two keys', isDone);
  await retention.stop();
  expect(await database.query('select key from idempotency_keys order by key')).toEqual([
    { key: 'key 1' },
    { key: 'key 2' },
  ]);
  expect(await database.query('select message_id from inbox')).toEqual([{ message_id: 'young' }]);
});
