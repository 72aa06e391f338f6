import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { SERVICE_NAMES } from '@partner/local-stack/stack/services';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import {
  type LocalPostgres,
  postgresDataDirectory,
  startPostgres,
  withPostgres,
} from '@partner/test-kit/backing-services/postgres';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { type LocalRedis, startRedis, withRedis } from '@partner/test-kit/backing-services/redis';
import { migrate } from './least-privilege/database-roles.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { assignSandboxJob } from './support/platform-job.js';
import { readMetric } from './support/replica-metrics.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

let directory: string;
let data: string;
let postgres: LocalPostgres;
let broker: PrivateRabbitmq;
let redis: LocalRedis;
let stack: TestStack;

/** The same server over TLS, by the name in its certificate. */
function overTls(url: string, protocol: string, port?: number): string {
  const { username, password, pathname, port: plain } = new URL(url);
  return `${protocol}://${username}:${password}@localhost:${port ?? plain}${pathname}`;
}

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'partner-tls-'));
  // The servers run as other users.
  chmodSync(directory, 0o755);
  const { caFile, certificateFile, keyFile } = await ensureCertificates(directory, 'servers.test');

  const ofPostgres = path.join(directory, 'postgres');
  data = await postgresDataDirectory(ofPostgres);
  postgres = await startPostgres({ directory: ofPostgres, port: await freePort() });
  const { uid, gid } = statSync(data);
  cpSync(keyFile, path.join(data, 'server.key'));
  chownSync(path.join(data, 'server.key'), uid, gid);
  await withPostgres(postgres.url, async (client) => {
    await client.query(`alter system set ssl_cert_file = '${certificateFile}'`);
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
    await client.query('create database partner');
  });

  const brokerPort = await freePort();
  broker = await createPrivateRabbitmq([
    `listeners.ssl.1 = 127.0.0.1:${brokerPort}`,
    `ssl_options.certfile = ${certificateFile}`,
    `ssl_options.keyfile = ${keyFile}`,
  ]);
  await broker.start();

  redis = await startRedis({ directory: path.join(directory, 'redis'), port: await freePort() });
  const redisPort = await freePort();
  await withRedis(redis.url, async (client) => {
    const files = ['tls-cert-file', certificateFile, 'tls-key-file', keyFile, 'tls-auth-clients', 'no'];
    await client.call('CONFIG', 'SET', ...files, 'tls-port', redisPort);
  });

  const databaseUrl = new URL('/partner', postgres.url).href;
  const databaseUrlOverTls = `${overTls(databaseUrl, 'postgres')}?sslmode=verify-full`;
  const trust = { NODE_EXTRA_CA_CERTS: caFile };
  await migrate(databaseUrlOverTls, trust);
  const settings = {
    ...trust,
    AMQP_URL: overTls(broker.url, 'amqps', brokerPort),
    REDIS_URL: overTls(redis.url, 'rediss', redisPort),
    POSTGRES_URL: databaseUrlOverTls,
  };
  stack = await startTestStack({
    parts: { kind: 'given', postgresUrl: databaseUrl, amqpUrl: broker.url, redisUrl: redis.url },
    settings: Object.fromEntries(SERVICE_NAMES.map((service) => [service, settings])),
  });
});

afterAll(async () => {
  await stack.stop();
  await Promise.all([postgres.stop(), broker.remove(), redis.stop()]);
  for (const folder of [data, directory]) rmSync(folder, { recursive: true, force: true });
});

test('migration and services trust a private CA, and reach the broker and both databases over TLS', async () => {
  const owner = await signIn(stack.baseUrl, stack.company('INSTALLER').owner);
  await createActiveSubscription(owner, { url: stack.receiverUrl, events: ['install.job_assigned'] });
  await assignSandboxJob(stack);
  await stack.receiver.waitUntil('the webhook of the assignment', (received) =>
    received.some(({ envelope }) => envelope.event === 'install.job_assigned'),
  );
  // Without Redis, a gateway would count locally.
  const { adminUrl } = stack.stack.description.services['installer-gateway'] ?? {};
  expect(await readMetric(adminUrl ?? '', 'partner_rate_limiter_degraded')).toBe(0);
});
