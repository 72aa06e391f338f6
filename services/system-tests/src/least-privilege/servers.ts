import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, cpSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { ensureCertificates } from '@partner/local-stack/receiver/certificates';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { postgresDataDirectory, startPostgres } from '@partner/test-kit/backing-services/postgres';
import { createPrivateRabbitmq } from '@partner/test-kit/backing-services/private-rabbitmq';
import { startRedis, withRedis } from '@partner/test-kit/backing-services/redis';
import { z } from 'zod';
import { query, ROLES } from './database-roles.js';

const FILES = path.join(PROJECT_ROOT, 'charts/job-state/files');
const DEFINITIONS = path.join(FILES, 'rabbitmq-definitions.json');
const PASSWORD = randomBytes(12).toString('hex');
const VHOST = 'partner';

/** `tls`: by the name in the certificate of a private CA. */
type Way = 'plain' | 'tls';

/** Private servers with the users that the charts ship. */
export interface Servers {
  readonly caFile: string;
  readonly brokerUsers: readonly string[];
  readonly redisUsers: readonly string[];
  control(...args: readonly string[]): Promise<string>;
  databaseUrl(user: string, way?: Way): string;
  brokerUrl(user: string, way?: Way, vhost?: string): string;
  /** As the default user without one. */
  redisUrl(user?: string, way?: Way): string;
  stop(): Promise<void>;
}

/** Starts Postgres, RabbitMQ and Redis, and creates the users as an administrator would. The database has no tables yet. */
export async function startServers(): Promise<Servers> {
  const directory = mkdtempSync(path.join(tmpdir(), 'partner-servers-'));
  // The servers run as other users.
  chmodSync(directory, 0o755);
  const certificates = await ensureCertificates(directory, 'servers.test');
  const [postgres, broker, redis] = await Promise.all([
    startDatabase(path.join(directory, 'postgres'), certificates),
    startBroker(certificates),
    startSessions(path.join(directory, 'redis'), certificates),
  ]);
  const urlOf = (server: ServerWithTls, way: Way, user: string | undefined, pathname: string) => {
    const url = new URL(server.url);
    if (way === 'tls') Object.assign(url, { hostname: 'localhost', port: String(server.tlsPort) });
    if (user !== undefined)
      Object.assign(url, { username: user, password: user === 'guest' ? user : PASSWORD });
    return Object.assign(url, { pathname }).href.replace(
      url.protocol,
      way === 'tls' ? server.tls : url.protocol,
    );
  };
  return {
    caFile: certificates.caFile,
    brokerUsers: broker.users,
    redisUsers: redis.users,
    control: broker.control,
    databaseUrl: (user, way = 'plain') =>
      `${urlOf(postgres, way, user, `/${VHOST}`)}${way === 'tls' ? '?sslmode=verify-full' : ''}`,
    brokerUrl: (user, way = 'plain', vhost = VHOST) => urlOf(broker, way, user, `/${vhost}`),
    redisUrl: (user, way = 'plain') => urlOf(redis, way, user, '/0'),
    async stop() {
      await Promise.all([postgres.stop(), broker.stop(), redis.stop()]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

type Certificates = Awaited<ReturnType<typeof ensureCertificates>>;

interface ServerWithTls {
  readonly url: string;
  /** The protocol of its URLs over TLS. */
  readonly tls: string;
  readonly tlsPort: number;
  stop(): Promise<void>;
}

async function startDatabase(directory: string, certificates: Certificates): Promise<ServerWithTls> {
  const data = await postgresDataDirectory(directory);
  const port = await freePort();
  const { url, stop } = await startPostgres({ directory, port, durable: false });
  const { uid, gid } = statSync(data);
  const key = path.join(data, 'server.key');
  cpSync(certificates.keyFile, key);
  chownSync(key, uid, gid);
  await query(
    url,
    `alter system set ssl_cert_file = '${certificates.certificateFile}'`,
    'alter system set ssl = on',
    'select pg_reload_conf()',
    // An administrator who is no superuser creates the users.
    'create role administrator login createrole',
    `create database ${VHOST} owner administrator`,
  );
  await query(url.replace('postgres@', 'administrator@').replace(/postgres$/, VHOST), ROLES);
  return {
    ...{ url, tls: 'postgres:', tlsPort: port },
    async stop() {
      await stop();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function startBroker({ certificateFile, keyFile }: Certificates) {
  const tlsPort = await freePort();
  const { url, start, control, remove } = await createPrivateRabbitmq([
    `listeners.ssl.1 = 127.0.0.1:${tlsPort}`,
    `ssl_options.certfile = ${certificateFile}`,
    `ssl_options.keyfile = ${keyFile}`,
  ]);
  await start();
  const { permissions } = z
    .object({ permissions: z.array(z.object({ user: z.string(), vhost: z.literal(VHOST) })) })
    .parse(JSON.parse(readFileSync(DEFINITIONS, 'utf8')));
  const users = permissions.map(({ user }) => user);
  for (const user of users) await control('add_user', user, PASSWORD);
  await control('import_definitions', DEFINITIONS);
  await control('set_permissions', '-p', VHOST, 'guest', '.*', '.*', '.*');
  return { url, tls: 'amqps:', tlsPort, users, control, stop: remove };
}

async function startSessions(directory: string, { certificateFile, keyFile }: Certificates) {
  const { url, stop } = await startRedis({ directory, port: await freePort() });
  const tlsPort = await freePort();
  const users: string[] = [];
  await withRedis(url, async (client) => {
    const files = ['tls-cert-file', certificateFile, 'tls-key-file', keyFile, 'tls-auth-clients', 'no'];
    await client.call('CONFIG', 'SET', ...files, 'tls-port', tlsPort);
    for (const line of readFileSync(path.join(FILES, 'redis-users.txt'), 'utf8').trim().split('\n')) {
      const [, , user = '', ...rules] = line.split(' ');
      users.push(user);
      await client.acl('SETUSER', user, ...rules);
      await client.acl('SETUSER', user, `>${PASSWORD}`);
    }
  });
  return { url, tls: 'rediss:', tlsPort, users, stop };
}
