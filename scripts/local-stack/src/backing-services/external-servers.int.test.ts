import { execFileSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { type LocalPostgres, startPostgres, withPostgres } from '@partner/test-kit/backing-services/postgres';
import { type LocalRabbitmq, startRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { type LocalRedis, startRedis, withRedis } from '@partner/test-kit/backing-services/redis';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkRedis, dropOwnDatabase, ownDatabase, ownVhost, removeKeys } from './external-servers.js';

const directory = mkdtempSync(path.join(tmpdir(), 'partner-given-servers-'));
let postgres: LocalPostgres;
let rabbitmq: LocalRabbitmq;
let redis: LocalRedis;

beforeAll(async () => {
  // For root, Postgres runs as another user, who needs access to the directory.
  chmodSync(directory, 0o711);
  [postgres, rabbitmq, redis] = await Promise.all([
    startPostgres({ directory: path.join(directory, 'postgres'), port: await freePort(), durable: false }),
    startRabbitmq({ directory: path.join(directory, 'rabbitmq'), port: await freePort() }),
    startRedis({ directory: path.join(directory, 'redis'), port: await freePort() }),
  ]);
});

afterAll(async () => {
  await Promise.all([postgres.stop(), rabbitmq.stop(), redis.stop()]);
  rmSync(directory, { recursive: true, force: true });
});

function as(url: string, user: string, pathname: string): string {
  const changed = new URL(url);
  changed.username = user;
  changed.password = user;
  changed.pathname = pathname;
  return changed.href;
}

describe('a given Postgres', () => {
  test('creates the database partner once, whatever database the URL names', async () => {
    const own = await ownDatabase(postgres.url);

    expect(own).toEqual({
      url: as(postgres.url, 'postgres', '/partner').replace(':postgres@', '@'),
      made: true,
    });
    await expect(ownDatabase(postgres.url)).resolves.toMatchObject({ made: false });
    await dropOwnDatabase(postgres.url);
    await expect(ownDatabase(postgres.url)).resolves.toMatchObject({ made: true });
  });

  test('names the missing right of a user who cannot create a database or write to it', async () => {
    await dropOwnDatabase(postgres.url);
    await withPostgres(postgres.url, (client) => client.query('create role weak login'));
    const url = as(postgres.url, 'weak', '/postgres');

    await expect(ownDatabase(url)).rejects.toThrow(
      /^POSTGRES_URL: permission denied to create database\. .* allow weak to create it/,
    );
    await ownDatabase(postgres.url);
    await expect(ownDatabase(url)).rejects.toThrow(/^POSTGRES_URL: permission denied for database partner\./);
  });
});

describe('a given RabbitMQ', () => {
  const control = (...args: string[]) =>
    execFileSync('/usr/lib/rabbitmq/bin/rabbitmqctl', args, { env: rabbitmq.controlEnv, stdio: 'pipe' });

  test('is used only in the vhost partner; if that is missing, the message contains the commands to create it', async () => {
    await expect(ownVhost(rabbitmq.url)).rejects.toThrow(
      /^AMQP_URL: the broker refuses the vhost\. .* rabbitmqctl add_vhost partner && rabbitmqctl set_permissions -p partner guest/,
    );

    control('add_vhost', 'partner');
    await expect(ownVhost(rabbitmq.url)).rejects.toThrow(/^AMQP_URL: the broker refuses the vhost/);

    control('set_permissions', '-p', 'partner', 'guest', '.*', '.*', '.*');
    await expect(ownVhost(`${rabbitmq.url}/another`)).resolves.toBe(`${rabbitmq.url}/partner`);
  });
});

describe('a given Redis', () => {
  test('is checked with a script, and loses only keys with the prefix', async () => {
    await checkRedis(redis.url, 'partner:');
    await withRedis(redis.url, (client) => client.mset('partner:a', '1', 'partner:b', '1', 'theirs', '1'));

    await removeKeys(redis.url, 'partner:');

    await expect(withRedis(redis.url, (client) => client.keys('*'))).resolves.toEqual(['theirs']);
  });

  test('names the missing right', async () => {
    await withRedis(redis.url, (client) =>
      client.call('acl', 'setuser', 'weak', 'on', '>weak', '~other:*', '+@all'),
    );

    await expect(checkRedis(as(redis.url, 'weak', '/0'), 'partner:')).rejects.toThrow(
      /^REDIS_URL: .*(NOPERM|can't access|No permissions).*"partner:"/,
    );
  });
});
