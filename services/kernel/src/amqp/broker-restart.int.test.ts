import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  ACCESS_BROADCAST,
  COMMANDS,
  DELIVERY_RESULTS,
  JOB_STATE_INSTALLER_RPC,
} from '@partner/proto-contracts/topology';
import { Registry } from 'prom-client';
import { silentLogger } from '../telemetry/logger.js';
import { ServiceError } from '../process/service-error.js';
import { eventually } from '@partner/test-kit/eventually';
import { createTestClient, testOperations } from '../testing/test-calls.js';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { createRecorder } from '@partner/test-kit/recorder';
import { startBroadcastConsumer } from './broadcast.js';
import { createAmqpConnection } from './connection.js';
import { startConsumer } from './consumer.js';
import { createPublisher } from './publisher.js';
import { startRpcServer } from './rpc-server.js';

describe('a broker that is killed and started again', () => {
  const logger = silentLogger;
  let broker: PrivateRabbitmq;

  beforeAll(async () => {
    broker = await createPrivateRabbitmq();
    await broker.start();
  });
  afterAll(async () => {
    await broker.remove();
  });

  test('loses no confirmed message, and every client reconnects automatically', async () => {
    const metrics = new Registry();
    const publishing = createAmqpConnection({ url: broker.url, name: 'publish', logger, metrics });
    const consuming = createAmqpConnection({ url: broker.url, name: 'consume', logger, metrics });
    const publisher = createPublisher({ connection: publishing, logger, metrics });
    const queue = JOB_STATE_INSTALLER_RPC;
    const client = createTestClient({ connection: publishing, queue, logger, metrics });
    const calls = createRecorder<string>();
    const operations = testOperations({
      getJob: async ({ jobId = '' }) => {
        calls.record(jobId);
        return jobId === 'never' ? new Promise<never>(() => undefined) : { resourceJson: jobId };
      },
    });
    startRpcServer({
      connection: consuming,
      queue,
      prefetch: 5,
      operations,
      logger,
      metrics,
    });
    const gaps = createRecorder<true>();
    startBroadcastConsumer({
      connection: consuming,
      exchange: ACCESS_BROADCAST,
      logger,
      handle: () => undefined,
      onGap: () => gaps.record(true),
    });
    await eventually('both connections', () => publishing.isReady() && consuming.isReady());
    await gaps.atLeast(1);

    const ids = Array.from({ length: 300 }, (_, index) => `evt_${index}`);
    const publish = (messageId: string) =>
      publisher.publish({
        exchange: COMMANDS,
        routingKey: DELIVERY_RESULTS.name,
        messageId,
        type: 'partner.webhooks.v1.DeliveryAttempted',
        body: Buffer.from(messageId),
      });
    await Promise.all(ids.map(publish));
    const call = client.getJob({ jobId: 'never' }, { timeoutMs: 3_600_000 });
    await calls.find((id) => id === 'never');

    await broker.kill();
    await expect(call).rejects.toBeInstanceOf(ServiceError);
    await eventually('the loss', () => !publishing.isReady());
    await expect(publish('evt_lost')).rejects.toMatchObject({ kind: 'not-connected' });
    await broker.start();
    await eventually('both connections', () => publishing.isReady() && consuming.isReady());

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
    expect(new Set(received.all())).toEqual(new Set([...ids, 'evt_after']));
    expect((await client.getJob({ jobId: 'job_1' })).resourceJson).toBe('job_1');
    await gaps.atLeast(2);
    await publishing.close();
    await consuming.close();
  });
});
