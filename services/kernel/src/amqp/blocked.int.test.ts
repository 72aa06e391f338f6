import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { COMMANDS, DELIVERY_RESULTS, JOB_STATE_INSTALLER_RPC } from '@partner/proto-contracts/topology';
import { Registry } from 'prom-client';
import { silentLogger } from '../telemetry/logger.js';
import { eventually } from '@partner/test-kit/eventually';
import { createTestClient, testOperations } from '../testing/test-calls.js';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { createRecorder } from '@partner/test-kit/recorder';
import { type AmqpConnection, createAmqpConnection } from './connection.js';
import { createPublisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';

const AN_HOUR_MS = 3_600_000;

describe('while the broker is short of memory', () => {
  const logger = silentLogger;
  let broker: PrivateRabbitmq;
  let metrics: Registry;
  let connection: AmqpConnection;

  beforeAll(async () => {
    broker = await createPrivateRabbitmq();
    await broker.start();
  });
  afterAll(() => broker.remove());
  beforeEach(() => {
    metrics = new Registry();
    connection = createAmqpConnection({ url: broker.url, name: 'blocked', logger, metrics });
  });
  afterEach(() => connection.close());

  const exhaustMemory = () => broker.control('set_vm_memory_high_watermark', '0');
  const restoreMemory = async () => {
    await broker.control('set_vm_memory_high_watermark', '0.4');
    await eventually('the end of the block', () => !connection.isBlocked());
  };

  test('a publisher rejects at once and buffers nothing, and works again afterwards', async () => {
    const publisher = createPublisher({ connection, logger, metrics });
    await eventually('the connection', () => connection.isReady());
    const message = {
      exchange: COMMANDS,
      routingKey: DELIVERY_RESULTS.bindings[0].routingKey,
      messageId: 'm',
      type: 't',
      body: Buffer.from('body'),
    };
    await exhaustMemory();
    // The broker confirms it after the block, unless that lasts longer than the publisher waits.
    const first = Promise.allSettled([publisher.publish(message)]);
    await eventually('the block', () => connection.isBlocked());
    expect(connection.isReady()).toBe(false);
    expect(await metrics.metrics()).toContain('partner_amqp_connection_blocked{connection="blocked"} 1');
    const results = await Promise.allSettled(Array.from({ length: 100 }, () => publisher.publish(message)));
    for (const result of results) {
      expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'blocked' } });
    }
    await restoreMemory();
    await first;
    await publisher.publish(message);
  });

  test('calls fail at once and are never executed, and work again afterwards', async () => {
    const served = createRecorder<string>();
    const operations = testOperations({
      getJob: async ({ jobId = '' }) => {
        served.record(jobId);
        return { resourceJson: '{}' };
      },
    });
    const serving = createAmqpConnection({ url: broker.url, name: 'serving', logger, metrics });
    startRpcServer({
      connection: serving,
      queue: JOB_STATE_INSTALLER_RPC,
      prefetch: 10,
      operations,
      logger,
      metrics,
    });
    const client = createTestClient({ connection, queue: JOB_STATE_INSTALLER_RPC, logger, metrics });
    await eventually('the connections', () => connection.isReady() && serving.isReady());
    await exhaustMemory();
    const first = client.getJob({ jobId: 'first' }, { timeoutMs: AN_HOUR_MS });
    await eventually('the block', () => connection.isBlocked());
    const refused = await Promise.allSettled(
      Array.from({ length: 100 }, () => client.getJob({ jobId: 'refused' }, { timeoutMs: AN_HOUR_MS })),
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
    await serving.close();
  });
});
