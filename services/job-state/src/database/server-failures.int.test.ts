import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { testDatabase } from '../testing/things-fixture.js';

const codes = (all: string, reason: string | undefined, isLost: boolean) =>
  all.split(' ').map((code) => [code, reason, isLost] as const);

describe('a statement', () => {
  test('with a character that Postgres cannot store is an invalid argument', async () => {
    await expect(testDatabase.database.query('select $1::text', ['a\u0000'])).rejects.toMatchObject({
      reason: 'invalid_argument',
    });
  });

  test.each([
    ...codes('08006 25006 25P03 25P04 57P01 57P02 57P03 57P04 57P05', 'unavailable', true),
    ...codes('40001 40P01 53100 53200 53300 53400 55P03 57014 58030', 'unavailable', false),
    ...codes('22021 22P05', 'invalid_argument', false),
    ...codes('23505 42501 54000 XX000', undefined, false),
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
