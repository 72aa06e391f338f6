import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { freePort, signalGroup } from './local-process.js';
import { startPostgres, withPostgres } from './postgres.js';
import { descendantsOf, identifyProcess, isProcessRunning } from './process-identity.js';
import { startRabbitmq, tryRabbitmq } from './rabbitmq.js';
import { startRedis, withRedis } from './redis.js';

let directory = '';

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-local-servers-'));
  // As root, Postgres runs as another user, who needs access to the directory.
  chmodSync(directory, 0o711);
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

describe('a private Postgres', () => {
  test('keeps committed data across a kill and a restart on the same directory', async () => {
    const options = { directory: path.join(directory, 'postgres'), port: await freePort() };
    const first = await startPostgres(options);
    await withPostgres(first.url, (client) => client.query('create table kept (id int)'));
    const all = [first.process.pid, ...descendantsOf(first.process.pid)];
    process.kill(first.process.pid, 'SIGKILL');
    await first.process.ended();

    const second = await startPostgres(options);
    const rows = await withPostgres(second.url, (client) => client.query('select count(*) from kept'));
    await second.stop();

    expect(rows.rowCount).toBe(1);
    expect(all.filter((pid) => identifyProcess(pid) !== undefined)).toEqual([]);
    expect(identifyProcess(second.process.pid)).toBeUndefined();
  });
});

describe('a private RabbitMQ', () => {
  test('stops on request together with its port mapper, and restarts on the same directory', async () => {
    const options = { directory: path.join(directory, 'rabbitmq'), port: await freePort() };
    const first = await startRabbitmq(options);
    signalGroup(first.process.pid, 'SIGKILL');
    await first.process.ended();
    await expect(tryRabbitmq(first.url)).rejects.toThrow('ECONNREFUSED');
    await first.stop();

    const second = await startRabbitmq(options);
    await tryRabbitmq(second.url);
    const identities = [second.process, second.portMapper].map(({ pid }) => identifyProcess(pid));
    await second.stop();

    expect(identities.map((identity) => identity !== undefined && isProcessRunning(identity))).toEqual([
      false,
      false,
    ]);
  });
});

describe('a private Redis', () => {
  test('responds, and stops on request', async () => {
    const redis = await startRedis({ directory: path.join(directory, 'redis'), port: await freePort() });

    await expect(withRedis(redis.url, (client) => client.ping())).resolves.toBe('PONG');

    await redis.stop();
    await expect(withRedis(redis.url, (client) => client.ping())).rejects.toThrow('ECONNREFUSED');
  });
});
