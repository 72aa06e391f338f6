import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ACCESS_BROADCAST,
  COMMANDS,
  DELIVERY_RESULTS,
  JOB_STATE_INSTALLER_RPC,
  QUEUES,
} from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';
import { Registry } from 'prom-client';
import { silentLogger as logger } from '../telemetry/logger.js';
import { openBrokerProbe } from '../testing/broker-probe.js';
import { createTestClient, testOperations } from '../testing/test-calls.js';
import { eventually } from '@partner/test-kit/eventually';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { createRecorder } from '@partner/test-kit/recorder';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { startBroadcastConsumer } from './broadcast.js';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import { startConsumer } from './consumer.js';
import { MAX_MESSAGE_BYTES } from './message-size.js';
import { createPublisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';
import type { TopologyMode } from './topology.js';

const AN_HOUR = { timeoutMs: 3_600_000 };
const queue = JOB_STATE_INSTALLER_RPC;

let broker: PrivateRabbitmq;
let metrics: Registry;
const open: AmqpConnection[] = [];

beforeAll(async () => {
  broker = await createPrivateRabbitmq([`max_message_size = ${MAX_MESSAGE_BYTES}`]);
});
beforeEach(() => {
  metrics = new Registry();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});
afterAll(() => broker.remove());

function connectTo(
  url: string,
  options: { name?: string; declareTopology?: boolean; topology?: TopologyMode } = {},
): AmqpConnection {
  const connection = createAmqpConnection({ url, name: 'test', logger, metrics, ...options });
  open.push(connection);
  return connection;
}

let isStarted = false;
async function startOnce(): Promise<void> {
  if (!isStarted) await broker.start();
  isStarted = true;
}

const ready = (...connections: readonly AmqpConnection[]) =>
  eventually('readiness', () => connections.every((connection) => connection.isReady()));

async function metric(name: string): Promise<number> {
  const values = (await metrics.getSingleMetric(name)?.get())?.values ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

const failedAttempts = () =>
  eventually('failed attempts', async () => (await metric('partner_amqp_connect_failures_total')) > 1);

describe('a supervised connection', () => {
  test('retries while the broker is down, then declares the topology: queues that lose no dead letter and count deliveries', async () => {
    const connection = connectTo(broker.url);
    await failedAttempts();
    expect(connection.isReady()).toBe(false);

    await startOnce();
    await ready(connection);
    expect(await metric('partner_amqp_connection_up')).toBe(1);

    const listed = await broker.control('list_queues', 'name', 'arguments', '--no-table-headers');
    const declared = new Map(
      listed
        .trim()
        .split('\n')
        .map((line) => [line.split('\t')[0], line]),
    );
    const names = QUEUES.flatMap(({ name, deadLetterQueue }) => [name, deadLetterQueue ?? name]);
    expect(new Set(declared.keys())).toEqual(new Set(names));
    for (const argument of [
      '"x-queue-type","quorum"',
      '"x-overflow","reject-publish"',
      '"x-dead-letter-strategy","at-least-once"',
      '"x-dead-letter-exchange","partner.dead-letters"',
      '"x-dead-letter-routing-key","job-state.platform-messages.dead"',
      '"x-delivery-limit",100',
    ]) {
      expect(declared.get('job-state.platform-messages')).toContain(argument);
    }
  });

  test('is ready only once every channel is set up, and reopens each on the next connection', async () => {
    const connection = connectTo(broker.url);
    /** Lets each setup continue. */
    const setups = createRecorder<() => void>();
    const losses = createRecorder<Error>();
    connection.openChannel({
      name: 'slow',
      confirm: false,
      setup: () => new Promise(setups.record),
      onLost: losses.record,
    });
    const [first] = await setups.atLeast(1);
    expect(connection.isReady()).toBe(false);
    first?.();
    await ready(connection);

    await broker.control('close_all_connections', 'the test allows it');
    await losses.atLeast(1);
    const [, second] = await setups.atLeast(2);
    expect(connection.isReady()).toBe(false);
    second?.();
    await ready(connection);
    expect(await metric('partner_amqp_connection_losses_total')).toBe(1);
  });

  test('retries a failing setup until it succeeds, without touching the other channels', async () => {
    const connection = connectTo(broker.url);
    const other = createRecorder<Channel>();
    const attempts = createRecorder<Channel>();
    connection.openChannel({
      name: 'other',
      confirm: false,
      setup: async (channel) => other.record(channel),
    });
    connection.openChannel({
      name: 'failing',
      confirm: false,
      setup: async (channel) => {
        attempts.record(channel);
        if (attempts.all().length < 3) throw new Error('not yet');
      },
    });
    await attempts.atLeast(3);
    await ready(connection);
    expect(other.all()).toHaveLength(1);
  });

  test('leaves a broker that falls silent and connects again, without heartbeats', async () => {
    const proxy = await startTcpProxy(`${broker.url}?heartbeat=0`);
    const connection = connectTo(proxy.url);
    await ready(connection);
    proxy.swallow();
    await eventually('the loss', async () => (await metric('partner_amqp_connection_losses_total')) === 1);
    await ready(connection);
    expect(proxy.accepted()).toBe(2);
    await connection.close();
    await proxy.close();
  });

  test.each([
    ['says nothing', ''],
    // A frame header of connection.start without its body.
    ['falls silent in the handshake', '\x01\x00\x00\x00\x00\x01\x00'],
  ])(
    'aborts a connect when it is closed, though the broker %s',
    async (_what, greeting) => {
      const sockets = createRecorder<Socket>();
      const silent = createServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', () => sockets.record(socket));
        if (greeting !== '') socket.write(greeting, 'latin1');
      });
      silent.listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      if (address === null || typeof address === 'string') throw new Error('no port');
      const connection = connectTo(`amqp://127.0.0.1:${address.port}`);
      await sockets.atLeast(1);
      await connection.close();
      silent.close();
      // Emitted when the last connection has closed.
      await once(silent, 'close');
      expect(connection.isReady()).toBe(false);
    },
    4_000,
  );
});

describe('the topology of a broker', () => {
  beforeAll(startOnce);

  test.each<
    [string, TopologyMode, (channel: Channel) => Promise<unknown>, (channel: Channel) => Promise<unknown>]
  >([
    [
      'a queue has other properties',
      'declare',
      (channel) => channel.assertQueue(queue.name, { durable: true, messageTtl: 1_000 }),
      (channel) => channel.deleteQueue(queue.name),
    ],
    [
      'an exchange is missing',
      'check',
      (channel) => channel.deleteExchange('partner.access'),
      (channel) => channel.assertExchange('partner.access', 'fanout', { durable: true }),
    ],
  ])(
    'keeps a connection from being ready while %s in the mode %s, until that is fixed',
    async (_what, topology, spoil, fix) => {
      const probe = await openBrokerProbe(broker.url);
      await probe.channel.deleteQueue(queue.name);
      await spoil(probe.channel);
      const connection = connectTo(broker.url, { topology });
      await failedAttempts();
      expect(connection.isReady()).toBe(false);
      await fix(probe.channel);
      await ready(connection);
      await probe.close();
    },
  );

  test("is not declared in check mode or when configured so: a queue's consumer is not ready while it is missing, others are", async () => {
    const probe = await openBrokerProbe(broker.url);
    await probe.channel.deleteQueue(queue.name);
    const checks = createRecorder<string>();
    const reader = connectTo(broker.url, { topology: 'check' });
    reader.openChannel({
      name: 'reader',
      confirm: false,
      setup: async (channel, topology) => {
        checks.record('check');
        await topology.provideQueue(channel, queue);
      },
    });
    await ready(
      connectTo(broker.url, { topology: 'check' }),
      connectTo(broker.url, { declareTopology: false }),
    );
    await checks.atLeast(2);
    expect(reader.isReady()).toBe(false);
    await expect(probe.channel.checkQueue(queue.name)).rejects.toThrow('404');
    await ready(connectTo(broker.url), reader);
    await probe.close();
  });
});

describe('clients of a broker', () => {
  beforeAll(startOnce);

  /** A publisher, and a client whose calls are served, but for the one for `never`, and recorded. */
  async function startClients() {
    const publishing = connectTo(broker.url, { name: 'publish' });
    const consuming = connectTo(broker.url, { name: 'consume' });
    const publisher = createPublisher({ connection: publishing, logger, metrics });
    const served = createRecorder<string>();
    const operations = testOperations({
      getJob: async ({ jobId = '' }) => {
        served.record(jobId);
        return jobId === 'never' ? new Promise<never>(() => undefined) : { resourceJson: jobId };
      },
    });
    startRpcServer({ connection: consuming, queue, prefetch: 10, operations, logger, metrics });
    const client = createTestClient({ connection: publishing, queue, logger, metrics });
    await ready(publishing, consuming);
    const publish = (messageId: string) =>
      publisher.publish({
        exchange: COMMANDS,
        routingKey: DELIVERY_RESULTS.name,
        messageId,
        type: 'partner.webhooks.v1.DeliveryAttempted',
        body: Buffer.from(messageId),
      });
    return { publishing, consuming, publisher, publish, served, client };
  }

  test('do not send a message that the broker may refuse: it fails alone [LIMIT-7]', async () => {
    const { publisher } = await startClients();
    const probe = await openBrokerProbe(broker.url);
    const { name } = await probe.declareTestQueue({ type: 'classic' });
    const publishBytes = (bytes: number) =>
      publisher.publish({
        exchange: { name: '', type: 'direct' },
        ...{ routingKey: name, messageId: 'm', type: 't', body: Buffer.alloc(bytes) },
      });
    const sizes = [1, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + 1, 1];
    const sent = { status: 'fulfilled' };
    const refused = { reason: { kind: 'too-large', message: expect.stringContaining('8388609 bytes') } };
    expect(await Promise.allSettled(sizes.map(publishBytes))).toMatchObject([sent, sent, refused, sent]);
    await probe.hasMessages(name, 3);
    await probe.close();
  });

  test('fail at once and buffer nothing while it is short of memory, and work again afterwards', async () => {
    const { publishing, publish, served, client } = await startClients();
    await broker.control('set_vm_memory_high_watermark', '0');
    // The broker confirms it after the block, unless that lasts longer than the publisher waits.
    const published = Promise.allSettled([publish('first')]);
    const called = client.getJob({ jobId: 'first' }, AN_HOUR);
    await eventually('the block', () => publishing.isBlocked());
    expect(publishing.isReady()).toBe(false);
    expect(await metrics.metrics()).toContain('partner_amqp_connection_blocked{connection="publish"} 1');
    for (let time = 0; time < 100; time += 1) {
      await expect(publish('refused')).rejects.toMatchObject({ kind: 'blocked' });
      await expect(client.getJob({ jobId: 'refused' }, AN_HOUR)).rejects.toMatchObject({
        ...{ reason: 'unavailable', message: expect.stringContaining('not available') },
      });
    }
    await broker.control('set_vm_memory_high_watermark', '0.4');
    await eventually('the end of the block', () => !publishing.isBlocked());
    await Promise.all([published, called]);
    await publish('last');
    await client.getJob({ jobId: 'last' });
    expect(served.all()).toEqual(['first', 'last']);
  });

  test('lose no confirmed message when it is killed and started again, and every one reconnects', async () => {
    const { publishing, consuming, publish, served, client } = await startClients();
    const gaps = createRecorder<true>();
    startBroadcastConsumer({
      connection: consuming,
      exchange: ACCESS_BROADCAST,
      logger,
      handle: () => undefined,
      onGap: () => gaps.record(true),
    });
    await gaps.atLeast(1);

    const ids = Array.from({ length: 300 }, (_, index) => `evt_${index}`);
    await Promise.all(ids.map(publish));
    const call = client.getJob({ jobId: 'never' }, AN_HOUR);
    await served.find((id) => id === 'never');

    await broker.kill();
    await expect(call).rejects.toMatchObject({ reason: 'unavailable' });
    await eventually('the loss', () => !publishing.isReady());
    await expect(publish('evt_lost')).rejects.toMatchObject({ kind: 'not-connected' });
    await broker.start();
    await ready(publishing, consuming);

    const received = createRecorder<string>();
    startConsumer({
      connection: consuming,
      queue: DELIVERY_RESULTS,
      prefetch: 50,
      logger,
      metrics,
      handle: async ({ messageId }) => {
        received.record(messageId);
        return { kind: 'done' };
      },
    });
    await publish('evt_after');
    await received.find((id) => id === 'evt_after');
    const all = received.all().filter((id) => id.startsWith('evt_'));
    expect(new Set(all)).toEqual(new Set([...ids, 'evt_after']));
    expect((await client.getJob({ jobId: 'job_1' })).resourceJson).toBe('job_1');
    await gaps.atLeast(2);
  });
});
