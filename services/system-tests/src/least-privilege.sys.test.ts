import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { SERVICE_NAMES, type ServiceName } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { create, toBinary } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CompanyChangedSchema,
  CompanyClass,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { PLATFORM_MESSAGES, QUEUES } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { newId } from '@partner/kernel/process/ids';
import { withRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { migrate, query, ROLES } from './least-privilege/database-roles.js';
import { FOREIGN_TO_BROKER_USERS, FOREIGN_TO_REDIS_USERS } from './least-privilege/foreign-commands.js';
import {
  readRightsOf,
  CALLING_USERS,
  servedOperations,
  surfacesOf,
} from './least-privilege/served-operations.js';
import { type Servers, startServers } from './least-privilege/servers.js';
import { call } from './support/http-call.js';
import { createActiveSubscription, signIn } from './support/owner-session.js';
import { assignSandboxJob, reportStatus } from './support/platform-job.js';
import { readMetric } from '@partner/test-kit/read-metric';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

let servers: Servers;

async function contentsOf(vhost: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    [
      ['list_exchanges', 'name', 'type'],
      ['list_queues', 'name'],
      ['list_bindings', 'source_name', 'destination_name', 'routing_key'],
    ].map(([list = '', ...columns]) => servers.control(list, '--quiet', '--vhost', vhost, ...columns)),
  );
  return lists.flatMap((text) => text.split('\n')).sort();
}

beforeAll(async () => {
  servers = await startServers();
  await migrate(servers.databaseUrl('partner_owner', 'tls'), { NODE_EXTRA_CA_CERTS: servers.caFile });
});

afterAll(() => servers.stop());

test('the definitions hold what services make that declare the topology themselves', async () => {
  const imported = await contentsOf('partner');
  await servers.control('add_vhost', 'declared');
  await servers.control('set_permissions', '-p', 'declared', 'guest', '.*', '.*', '.*');
  // The broker refuses a declaration of what exists with other properties.
  for (const vhost of ['declared', 'partner']) {
    const connection = createAmqpConnection({
      url: servers.brokerUrl('guest', 'plain', vhost),
      name: 'test',
      logger: silentLogger,
      metrics: new Registry(),
    });
    await eventually('the topology', () => connection.isReady());
    await connection.close();
    expect(await contentsOf(vhost)).toEqual(imported);
  }
});

describe('services with users that may do no more than they must, over TLS by a private CA', () => {
  let stack: TestStack;
  let installer: SandboxCompany;
  let sales: SandboxCompany;

  beforeAll(async () => {
    const settingsOf = (service: ServiceName) => ({
      NODE_EXTRA_CA_CERTS: servers.caFile,
      AMQP_URL: servers.brokerUrl(`partner-${service}`, 'tls'),
      AMQP_TOPOLOGY: 'check',
      REDIS_URL: servers.redisUrl(`partner-${service}`, 'tls'),
      REDIS_KEY_PREFIX: 'partner:',
      POSTGRES_URL: servers.databaseUrl('partner_app', 'tls'),
    });
    stack = await startTestStack({
      backingServices: {
        kind: 'given',
        postgresUrl: servers.databaseUrl('partner_app'),
        amqpUrl: servers.brokerUrl('guest'),
        redisUrl: servers.redisUrl(),
      },
      settings: Object.fromEntries(SERVICE_NAMES.map((service) => [service, settingsOf(service)])),
    });
    // Before the migration an administrator runs them, too.
    await query(servers.databaseUrl('administrator'), ROLES);
    installer = stack.company('INSTALLER');
    sales = stack.company('SALES');
  });

  afterAll(() => stack.stop());

  test('do their work, each of them', async () => {
    const lead = await call(stack.baseUrl, '/inbound/leads', {
      method: 'POST',
      headers: { 'x-api-key': apiKeyOf(sales, 'general') },
      body: {
        fullName: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: '40417 Main Street, Austin, TX 78701',
      },
    });
    expect(lead.status).toBe(201);

    const owner = await signIn(stack.baseUrl, installer.owner);
    await createActiveSubscription(owner, { url: stack.receiverUrl, events: ['install.status_changed'] });
    const job = await assignSandboxJob(stack);
    await reportStatus(stack, job, { status: 'ACKNOWLEDGED' });
    await stack.receiver.waitUntil('the webhook of the status', (received) =>
      received.some(({ envelope }) => envelope.event === 'install.status_changed'),
    );
    await eventually('the messages to the platform', () =>
      stack.receivedStatusChanges.some(({ jobId }) => jobId === job.id),
    );
    // Without Redis, a gateway would count locally.
    const { adminUrl = '' } = stack.stack.description.services['installer-gateway'] ?? {};
    expect(await readMetric(adminUrl, 'partner_rate_limiter_degraded')).toBe(0);
  });

  test('keep sessions and counters in Redis, which refuses them nothing [TENANT-5]', async () => {
    const owner = await signIn(stack.baseUrl, sales.owner);
    const { password } = sales.owner;
    expect((await owner.call('POST', '/partner-api/session/confirm', { password })).status).toBe(200);
    expect((await owner.call('GET', '/partner-api/sessions')).status).toBe(200);
    expect((await owner.call('DELETE', '/partner-api/session')).status).toBe(204);
    await expect(signIn(stack.baseUrl, { ...sales.owner, password: 'wrong' })).rejects.toThrow('401');
    const headers = { 'x-api-key': apiKeyOf(sales, 'general'), 'x-svc-listen': '1' };
    expect((await call(stack.baseUrl, '/inbound/events', { headers })).status).toBe(200);
    const refusals = await withRedis(servers.redisUrl(), (client) => client.acl('LOG'));
    expect(refusals).toEqual([]);
  });

  test('keep partitions that belong to the owner of the schema', async () => {
    await eventually('a run of the retention', async () => {
      const { adminUrl = '' } = stack.stack.description.services['job-state'] ?? {};
      return (await readMetric(adminUrl, 'partner_retention_last_success_timestamp_seconds')) > 0;
    });
    const [owners] = await query(
      servers.databaseUrl('postgres'),
      `select distinct tableowner from pg_tables where schemaname = 'public'`,
    );
    expect(owners?.rows).toEqual([{ tableowner: 'partner_owner' }]);
  });

  test.each(CALLING_USERS)(
    '%s calls the operations that architecture.md lists for %s, and no other [TENANT-3]',
    async (user, process) => {
      const connection = createAmqpConnection({
        url: servers.brokerUrl(user),
        name: 'test',
        logger: silentLogger,
        metrics: new Registry(),
        declareTopology: false,
      });
      try {
        const { publishes, surfaces } = readRightsOf(process);
        expect(surfaces).toContainEqual(expect.any(String));
        const reached = QUEUES.flatMap((queue) => {
          const bindings = queue.bindings.filter(({ exchange }) => publishes.includes(exchange.name));
          return queue.type === 'classic' && bindings.length > 0 ? [{ ...queue, bindings }] : [];
        });
        const readIds = reached.map((queue) => servedOperations(connection, queue));
        await eventually('the connection', () => connection.isReady());
        const ids = await Promise.all(readIds.map((read) => read()));
        expect(surfacesOf(ids.flat(), surfaces)).toEqual({ surfaces, others: [] });
      } finally {
        await connection.close();
      }
    },
  );

  test('the dispatcher forges no message of the platform through the default exchange, and an operator sees the attempt [TENANT-3]', async () => {
    const { name, deadLetterQueue } = PLATFORM_MESSAGES;
    const companyId = newId('cmp');
    const body = toBinary(
      CompanyChangedSchema,
      create(CompanyChangedSchema, {
        companyId,
        version: 1,
        name: 'Forged',
        class: CompanyClass.SALES,
        occurredAt: timestampFromDate(new Date()),
      }),
    );
    const probe = await openBrokerProbe(servers.brokerUrl('partner-webhook-dispatcher'));
    const operator = await openBrokerProbe(servers.brokerUrl('partner-operator'));
    try {
      probe.channel.sendToQueue(name, Buffer.from(body), {
        type: CompanyChangedSchema.typeName,
        messageId: newId('evt'),
      });
      const letter = await operator.take(deadLetterQueue);
      expect(letter.properties.headers?.['x-dead-reason']).toMatch(/to which the queue is not bound/);
      expect(Buffer.compare(letter.content, body)).toBe(0);
    } finally {
      await probe.close();
      await operator.close();
    }
  });
});

// After the stack, whose retention handles partitions, too.
describe('the user of the service in the database', () => {
  const asService = (...statements: readonly string[]) =>
    query(servers.databaseUrl('partner_app'), ...statements);

  test.each([
    'create table things ()',
    'drop table jobs',
    'truncate jobs',
    'alter table jobs add column more text',
    'create index on jobs (id)',
    'create schema things',
    'create temporary table things ()',
    'set role partner_owner',
    'update knex_migrations set batch = 2',
    `select drop_partition('jobs', 'jobs')`,
    `select drop_partition('events', 'jobs')`,
    `select drop_partition('events', 'events_default')`,
    `select attach_partition('events', 'jobs', 'a', 'b')`,
    `select create_partition('leads', 'leads_p20260101')`,
    `select drop_partition('jobs', 'jobs_p20260101')`,
  ])('is refused: %s', async (statement) => {
    await expect(asService(statement)).rejects.toThrow(
      /permission denied|must be owner|is no partition of|is an archive/,
    );
  });

  test('may drop a partition of a partitioned table, by the function alone', async () => {
    const [made] = await asService(
      `select create_partition('events', 'events_p20010101')`,
      `select attach_partition('events', 'events_p20010101', 'evt_00', 'evt_01')`,
    );
    expect(made?.rowCount).toBe(1);
    await expect(asService('drop table events_p20010101')).rejects.toThrow('must be owner');
    await asService(`select drop_partition('events', 'events_p20010101')`);
  });

  test('is the only one besides the owner who gets into the database', async () => {
    await query(servers.databaseUrl('postgres'), 'create role partner_stranger login');
    const stranger = query(servers.databaseUrl('partner_stranger'), 'select 1');
    await expect(stranger).rejects.toThrow('permission denied');
  });
});

test('every user of the broker and of Redis is tried', () => {
  expect(FOREIGN_TO_BROKER_USERS.map(([user]) => user).sort()).toEqual([...servers.brokerUsers].sort());
  expect(Object.keys(FOREIGN_TO_REDIS_USERS).sort()).toEqual([...servers.redisUsers].sort());
});

test.each(FOREIGN_TO_BROKER_USERS)(
  '%s may do nothing else at the broker [TENANT-3]',
  async (user, commands) => {
    await withRabbitmq(servers.brokerUrl(user), async (connection) => {
      const outcomes = commands.map(async ({ what, run }) => {
        const channel = await connection.createChannel();
        channel.on('error', () => undefined);
        return { what, outcome: await run(channel).then(() => 'allowed', String) };
      });
      const isRefused = expect.stringMatching(/403|ACCESS_REFUSED/);
      expect(await Promise.all(outcomes)).toEqual(commands.map(({ what }) => ({ what, outcome: isRefused })));
    });
  },
);

test.each(Object.entries(FOREIGN_TO_REDIS_USERS))(
  '%s may do nothing else at Redis [TENANT-5]',
  async (user, commands) => {
    await withRedis(servers.redisUrl(user), async (client) => {
      for (const text of commands) {
        const [command = '', ...args] = text.split(' ');
        const outcome = await client.call(command, ...args).then(() => 'allowed', String);
        const isRefused = expect.stringMatching(/NOPERM|user executing the script can't/);
        expect({ text, outcome }).toEqual({ text, outcome: isRefused });
      }
    });
  },
);

test.each(['inbound-gateway', 'installer-gateway'])(
  '%s counts the requests of a fault script',
  async (name) => {
    await withRedis(servers.redisUrl(`partner-${name}`), async (client) => {
      const key = `partner:faults:{${name}}`;
      const results = await client.multi().incr(key).pexpire(key, 1_000).exec();
      expect(results).toEqual([
        [null, 1],
        [null, 1],
      ]);
    });
  },
);
