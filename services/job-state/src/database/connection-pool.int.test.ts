import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { startReplicatedPostgres } from '@partner/test-kit/backing-services/replicated-postgres';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { createGate } from '../testing/create-gate.js';
import { testDatabase } from '../testing/things-fixture.js';
import { createDatabase } from './database.js';

/** Lets the time pass after which a connection without a response counts as silent. */
function passSilence(): void {
  jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000);
}

afterEach(() => void jest.restoreAllMocks());

describe('a server that another one replaces', () => {
  test('costs no more than the statement if it closes connections that are being verified', async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    const database = createDatabase({ url: proxy.url, poolSize: 3, logger: silentLogger });
    proxy.cutAt('pg_is_in_recovery');
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => database.query('select 1')));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { reason: 'unavailable' } });
    proxy.cutAt(undefined);
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.end();
    await proxy.close();
  });

  test('costs one statement: connections from before are not used again', async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    const database = createDatabase({ url: proxy.url, poolSize: 3, logger: silentLogger, statementMs: 500 });
    await Promise.all([1, 2, 3].map(() => database.transaction((tx) => tx.query('select 1'))));
    expect(proxy.accepted()).toBe(3);
    proxy.swallow();
    await expect(database.query('select 1')).rejects.toMatchObject({ reason: 'unavailable' });
    for (let n = 0; n < 3; n += 1) expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    expect(proxy.accepted()).toBe(4);
    await database.end();
    await proxy.close();
  });

  test('holds back a statement on a silent connection, and no later one', async () => {
    const proxy = await startTcpProxy(testDatabase.url);
    const database = createDatabase({ url: proxy.url, poolSize: 3, logger: silentLogger, statementMs: 500 });
    await Promise.all([1, 2, 3].map(() => database.transaction((tx) => tx.query('select 1'))));
    proxy.swallow();
    const sent = createGate();
    const silent = database.transaction(async (tx) => {
      const rows = tx.query('select 1');
      sent.open();
      await rows;
    });
    await sent.opened;
    passSilence();
    const [first, next] = await Promise.allSettled([silent, database.query('select 1 as one')]);
    expect(first).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable' } });
    expect(next).toMatchObject({ status: 'fulfilled', value: [{ one: 1 }] });
    await database.end();
    await proxy.close();
  });

  test('is not used before it is promoted, and then ends what waits for the former one', async () => {
    const servers = await startReplicatedPostgres();
    const standby = createDatabase({ url: servers.standbyUrl(), poolSize: 1, logger: silentLogger });
    await expect(standby.query('select 1')).rejects.toMatchObject({ reason: 'unavailable' });
    expect(standby.isReady()).toBe(false);
    const database = createDatabase({
      url: servers.url,
      poolSize: 2,
      logger: silentLogger,
      statementMs: 600_000,
    });
    const sent = createGate();
    const waiting = database.transaction(async (tx) => {
      const rows = tx.query('select pg_sleep(600)');
      sent.open();
      await rows;
    });
    await sent.opened;
    await servers.failOver('hangs');
    passSilence();
    const [former, next] = await Promise.allSettled([waiting, database.query('select 1 as one')]);
    expect(former).toMatchObject({ status: 'rejected', reason: { reason: 'unavailable' } });
    expect(next).toMatchObject({ status: 'fulfilled', value: [{ one: 1 }] });
    expect(await standby.query('select 1 as one')).toEqual([{ one: 1 }]);
    await Promise.all([database.end(), standby.end()]);
    await servers.remove();
  });
});
