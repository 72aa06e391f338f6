import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/runtime/logger';
import { createGate } from '../testing/create-gate.js';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.js';
import { createDatabase, LockTimeoutError } from './database.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  await testDatabase.database.query('create table things (id integer primary key, name text)');
  await testDatabase.database.query(`insert into things values (1, 'one')`);
});

afterAll(() => testDatabase.drop());

describe('a transaction', () => {
  test('wakes the loops of its topics after the commit, and none when it is undone', async () => {
    const { database } = testDatabase;
    const woken: string[] = [];
    database.onWake('outbox', () => woken.push('outbox'));
    database.onWake('deliveries', () => woken.push('deliveries'));
    await database.transaction(async (tx) => {
      await tx.query('select 1');
      tx.wakeAfterCommit('outbox');
      tx.wakeAfterCommit('outbox');
      expect(woken).toEqual([]);
    });
    expect(woken).toEqual(['outbox']);
    const undone = database.transaction((tx) => {
      tx.wakeAfterCommit('deliveries');
      return Promise.reject(new Error('undone'));
    });
    await expect(undone).rejects.toThrow('undone');
    expect(woken).toEqual(['outbox']);
  });

  test('that waits too long for a lock fails, and its limits end with it', async () => {
    const { database } = testDatabase;
    const locked = createGate();
    const released = createGate();
    const holder = database.transaction(async (tx) => {
      await tx.query('select 1 from things where id = 1 for update');
      locked.open();
      await released.opened;
    });
    await locked.opened;
    await expect(
      database.transaction((tx) => tx.query('select 1 from things where id = 1 for update'), {
        lockTimeoutMs: 50,
      }),
    ).rejects.toBeInstanceOf(LockTimeoutError);
    released.open();
    await holder;
    const settings = await Promise.all(
      Array.from({ length: 10 }, () =>
        database.query(`select current_setting('lock_timeout') as lock_timeout`),
      ),
    );
    expect(settings.flat()).toEqual(Array.from({ length: 10 }, () => ({ lock_timeout: '0' })));
  });

  test('that takes longer than its caller waits is unavailable', async () => {
    await expect(
      testDatabase.database.transaction((tx) => tx.query('select pg_sleep(20)'), { statementTimeoutMs: 50 }),
    ).rejects.toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
  });
});

describe('a statement', () => {
  test('with a character that Postgres can not store is an invalid argument', async () => {
    await expect(testDatabase.database.query('select $1::text', ['a\u0000'])).rejects.toMatchObject({
      reason: 'invalid_argument',
    });
  });

  test('that is wrong fails as it is', async () => {
    await expect(testDatabase.database.query('select nothing from nowhere')).rejects.toThrow('nowhere');
  });

  test('to a server that is not there is unavailable, and the database is not ready', async () => {
    const away = createDatabase({
      url: 'postgres://nobody@127.0.0.1:1/none',
      poolSize: 1,
      logger: silentLogger,
    });
    await expect(away.query('select 1')).rejects.toMatchObject({ reason: 'unavailable' });
    await expect(away.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject({
      reason: 'unavailable',
    });
    expect(away.isReady()).toBe(false);
    await away.end();
  });

  test('whose connection is cut is unavailable, and the next one works', async () => {
    const { database, url } = testDatabase;
    const killer = createDatabase({ url, poolSize: 1, logger: silentLogger });
    const cut = database.transaction(async (tx) => {
      const [self] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await killer.query('select pg_terminate_backend($1)', [self?.pid]);
      await tx.query('select 1');
    });
    await expect(cut).rejects.toMatchObject({ reason: 'unavailable' });
    expect(await database.query('select name from things')).toEqual([{ name: 'one' }]);
    expect(database.isReady()).toBe(true);
    await killer.end();
  });
});
