import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { testDatabase } from '../testing/things-fixture.js';

describe('a statement', () => {
  test('with a character that Postgres cannot store is an invalid argument', async () => {
    await expect(testDatabase.database.query('select $1::text', ['a\u0000'])).rejects.toMatchObject({
      reason: 'invalid_argument',
    });
  });

  test.each([
    ['08006', 'unavailable', true],
    ['25006', 'unavailable', true],
    ['25P03', 'unavailable', true],
    ['25P04', 'unavailable', true],
    ['40001', 'unavailable', false],
    ['40P01', 'unavailable', false],
    ['53100', 'unavailable', false],
    ['53200', 'unavailable', false],
    ['53300', 'unavailable', false],
    ['53400', 'unavailable', false],
    ['55P03', 'unavailable', false],
    ['57014', 'unavailable', false],
    ['57P01', 'unavailable', true],
    ['57P02', 'unavailable', true],
    ['57P03', 'unavailable', true],
    ['57P04', 'unavailable', true],
    ['57P05', 'unavailable', true],
    ['58030', 'unavailable', false],
    ['22021', 'invalid_argument', false],
    ['22P05', 'invalid_argument', false],
    ['23505', undefined, false],
    ['42501', undefined, false],
    ['54000', undefined, false],
    ['XX000', undefined, false],
  ])(
    'that fails with %s has the reason %s; the connection is discarded: %s',
    async (code, reason, isLost) => {
      const database = testDatabase.connect();
      const connection = () => database.query('select pg_backend_pid() as pid');
      const before = await connection();
      const failing = database.query(`do $$ begin raise sqlstate '${code}'; end $$`);
      await expect(failing).rejects.toMatchObject(reason === undefined ? { code } : { reason });
      expect(isDeepStrictEqual(await connection(), before)).toBe(!isLost);
    },
  );

  test('to an unreachable server is unavailable, and the database is not ready', async () => {
    const away = testDatabase.connect({ url: 'postgres://unknown@127.0.0.1:1/none' });
    await expect(away.query('select 1')).rejects.toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('; check whether it took effect, or retry'),
    });
    await expect(away.transaction((tx) => tx.query('select 1'))).rejects.toMatchObject({
      reason: 'unavailable',
    });
    expect(away.isReady()).toBe(false);
  });
});
