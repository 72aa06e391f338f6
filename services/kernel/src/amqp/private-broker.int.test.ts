import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  ACCESS_BROADCAST,
  COMMANDS,
  DELIVERY_RESULTS,
  JOB_STATE_INSTALLER_RPC,
} from '@partner/proto-contracts/topology';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { silentLogger as logger } from '../telemetry/logger.js';
import { openBrokerProbe } from '../testing/broker-probe.js';
import { createTestClient, testOperations } from '../testing/test-calls.js';
import { startBroadcastConsumer } from './broadcast.js';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import { startConsumer } from './consumer.js';
import { MAX_MESSAGE_BYTES } from './message-size.js';
import { createPublisher, type Publisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';

const AN_HOUR = { timeoutMs: 3_600_000 };
const queue = JOB_STATE_INSTALLER_RPC;

let broker: PrivateRabbitmq;
let metrics: Registry;
let publishing: AmqpConnection;
let consuming: AmqpConnection;
let publisher: Publisher;

beforeAll(async () => {
  broker = await createPrivateRabbitmq([`max_message_size = ${MAX_MESSAGE_BYTES}`]);
  await broker.start();
});
afterAll(() => broker.remove());
beforeEach(async () => {
  metrics = new Registry();
  publishing = createAmqpConnection({ url: broker.url, name: 'publish', logger, metrics });
  consuming = createAmqpConnection({ url: broker.url, name: 'consume', logger, metrics });
  publisher = createPublisher({ connection: publishing, logger, metrics });
  await ready();
});
afterEach(async () => {
  await publishing.close();
  await consuming.close();
});

const ready = () => eventually('both connections', () => publishing.isReady() && consuming.isReady());
const publish = (messageId: string) =>
  publisher.publish({
    exchange: COMMANDS,
    routingKey: DELIVERY_RESULTS.name,
    messageId,
    type: 'partner.webhooks.v1.DeliveryAttempted',
    body: Buffer.from(messageId),
  });

/** Serves calls, of which the one for `never` gets no response, and returns their ids and a client. */
async function serve() {
  const served = createRecorder<string>();
  const operations = testOperations({
    getJob: async ({ jobId = '' }) => {
      served.record(jobId);
      return jobId === 'never' ? new Promise<never>(() => undefined) : { resourceJson: jobId };
    },
  });
  startRpcServer({ connection: consuming, queue, prefetch: 10, operations, logger, metrics });
  const client = createTestClient({ connection: publishing, queue, logger, metrics });
  await ready();
  return { served, client };
}

test('a message that the broker may refuse is not sent, and fails alone [LIMIT-7]', async () => {
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

describe('while the broker is short of memory', () => {
  const exhaustMemory = () => broker.control('set_vm_memory_high_watermark', '0');
  const restoreMemory = async () => {
    await broker.control('set_vm_memory_high_watermark', '0.4');
    await eventually('the end of the block', () => !publishing.isBlocked());
  };
  const blocked = () => eventually('the block', () => publishing.isBlocked());

  test('a publisher rejects at once and buffers nothing, and works again afterwards', async () => {
    await exhaustMemory();
    // The broker confirms it after the block, unless that lasts longer than the publisher waits.
    const first = Promise.allSettled([publish('first')]);
    await blocked();
    expect(publishing.isReady()).toBe(false);
    expect(await metrics.metrics()).toContain('partner_amqp_connection_blocked{connection="publish"} 1');
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => publish('refused')));
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'blocked' } });
    }
    await restoreMemory();
    await first;
    await publish('last');
  });

  test('calls fail at once and are never executed, and work again afterwards', async () => {
    const { served, client } = await serve();
    await exhaustMemory();
    const first = client.getJob({ jobId: 'first' }, AN_HOUR);
    await blocked();
    const refused = await Promise.allSettled(
      Array.from({ length: 100 }, () => client.getJob({ jobId: 'refused' }, AN_HOUR)),
    );
    for (const result of refused) {
      expect(result).toMatchObject({
        status: 'rejected',
        reason: { reason: 'unavailable', message: expect.stringContaining('not available') },
      });
    }
    await restoreMemory();
    await first;
    await client.getJob({ jobId: 'last' });
    expect(served.all()).toEqual(['first', 'last']);
  });
});

test('a broker that is killed and started again loses no confirmed message, and every client reconnects', async () => {
  const { served, client } = await serve();
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
  await ready();

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
