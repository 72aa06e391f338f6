import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { JOB_STATE_INSTALLER_RPC, QUEUES } from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';
import { Registry } from 'prom-client';
import { silentLogger } from '../telemetry/logger.js';
import { openBrokerProbe } from '../testing/broker-probe.js';
import { eventually } from '@partner/test-kit/eventually';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { createRecorder } from '@partner/test-kit/recorder';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import type { TopologyMode } from './topology.js';

let broker: PrivateRabbitmq;
let metrics: Registry;
const open: AmqpConnection[] = [];

beforeAll(async () => {
  broker = await createPrivateRabbitmq();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
});
afterAll(async () => {
  await broker.remove();
});

function connectTo(
  url: string,
  options: { declareTopology?: boolean; topology?: TopologyMode } = {},
): AmqpConnection {
  metrics = new Registry();
  const connection = createAmqpConnection({ url, name: 'test', logger: silentLogger, metrics, ...options });
  open.push(connection);
  return connection;
}

async function metric(name: string): Promise<number | undefined> {
  const values = (await metrics.getSingleMetric(name)?.get())?.values ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('a supervised connection', () => {
  test('retries while the broker is down, and declares the topology once it is up', async () => {
    const connection = connectTo(broker.url);
    await eventually(
      'a failed attempt',
      async () => ((await metric('partner_amqp_connect_failures_total')) ?? 0) > 1,
    );
    expect(connection.isReady()).toBe(false);

    await broker.start();
    await eventually('the connection', () => connection.isReady());
    expect(await metric('partner_amqp_connection_up')).toBe(1);

    const listed = await broker.control('list_queues', 'name', '--no-table-headers');
    const names = QUEUES.flatMap((queue) => [queue.name, queue.deadLetterQueue ?? queue.name]);
    expect(new Set(listed.trim().split(/\s+/))).toEqual(new Set(names));
  });

  test('declares quorum queues that lose no dead letter and count deliveries', async () => {
    const listed = await broker.control('list_queues', 'name', 'arguments', '--no-table-headers');
    const line = listed.split('\n').find((text) => text.startsWith('job-state.platform-messages\t')) ?? '';
    for (const argument of [
      '"x-queue-type","quorum"',
      '"x-overflow","reject-publish"',
      '"x-dead-letter-strategy","at-least-once"',
      '"x-dead-letter-exchange","partner.dead-letters"',
      '"x-dead-letter-routing-key","job-state.platform-messages.dead"',
      '"x-delivery-limit",100',
    ]) {
      expect(line).toContain(argument);
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
    await eventually('readiness', () => connection.isReady());

    await broker.control('close_all_connections', 'the test allows it');
    await losses.atLeast(1);
    const [, second] = await setups.atLeast(2);
    expect(connection.isReady()).toBe(false);
    second?.();
    await eventually('readiness', () => connection.isReady());
    expect(await metric('partner_amqp_connection_losses_total')).toBe(1);
  });

  test('retries a failing setup until it succeeds, without touching the other channels', async () => {
    const connection = connectTo(broker.url);
    const other = createRecorder<Channel>();
    connection.openChannel({
      name: 'other',
      confirm: false,
      setup: async (channel) => other.record(channel),
    });
    const attempts = createRecorder<Channel>();
    connection.openChannel({
      name: 'failing',
      confirm: false,
      setup: async (channel) => {
        attempts.record(channel);
        if (attempts.all().length < 3) throw new Error('not yet');
      },
    });
    await attempts.atLeast(3);
    await eventually('readiness', () => connection.isReady());
    expect(other.all()).toHaveLength(1);
  });

  test('leaves a broker that falls silent and connects again, without heartbeats', async () => {
    const proxy = await startTcpProxy(`${broker.url}?heartbeat=0`);
    const connection = connectTo(proxy.url);
    await eventually('readiness', () => connection.isReady());
    proxy.swallow();
    await eventually('the loss', async () => (await metric('partner_amqp_connection_losses_total')) === 1);
    await eventually('readiness', () => connection.isReady());
    expect(proxy.accepted()).toBe(2);
    await connection.close();
    await proxy.close();
  });
});

describe('a supervised connection to a broker with problems', () => {
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

  test.each<
    [string, TopologyMode, (channel: Channel) => Promise<unknown>, (channel: Channel) => Promise<unknown>]
  >([
    [
      'a queue has other properties',
      'declare',
      (channel) => channel.assertQueue('job-state.installer-rpc', { durable: true, messageTtl: 1_000 }),
      (channel) => channel.deleteQueue('job-state.installer-rpc'),
    ],
    [
      'an exchange is missing',
      'check',
      (channel) => channel.deleteExchange('partner.access'),
      (channel) => channel.assertExchange('partner.access', 'fanout', { durable: true }),
    ],
  ])(
    'is not ready while %s in the mode %s, and is once that is fixed',
    async (_what, topology, spoil, fix) => {
      const probe = await openBrokerProbe(broker.url);
      await probe.channel.deleteQueue('job-state.installer-rpc');
      await spoil(probe.channel);
      const connection = connectTo(broker.url, { topology });
      await eventually('failed attempts', async () => {
        return ((await metric('partner_amqp_connect_failures_total')) ?? 0) > 1;
      });
      expect(connection.isReady()).toBe(false);
      await fix(probe.channel);
      await eventually('readiness', () => connection.isReady());
      await probe.close();
    },
  );

  test("declares nothing in check mode: a queue's consumer is not ready while it is missing, others are", async () => {
    const probe = await openBrokerProbe(broker.url);
    await probe.channel.deleteQueue('job-state.installer-rpc');
    const checks = createRecorder<string>();
    const reader = connectTo(broker.url, { topology: 'check' });
    reader.openChannel({
      name: 'reader',
      confirm: false,
      setup: async (channel, topology) => {
        checks.record('check');
        await topology.provideQueue(channel, JOB_STATE_INSTALLER_RPC);
      },
    });
    const other = connectTo(broker.url, { topology: 'check' });
    await eventually('readiness of the other', () => other.isReady());
    await checks.atLeast(2);
    expect(reader.isReady()).toBe(false);
    const declaring = connectTo(broker.url);
    await eventually('readiness', () => reader.isReady() && declaring.isReady());
    await probe.close();
  });

  test('declares nothing when configured so', async () => {
    const probe = await openBrokerProbe(broker.url);
    await probe.channel.deleteQueue('job-state.installer-rpc');
    const connection = connectTo(broker.url, { declareTopology: false });
    await eventually('readiness', () => connection.isReady());
    await expect(probe.channel.checkQueue('job-state.installer-rpc')).rejects.toThrow('404');
    await probe.close();
  });
});
