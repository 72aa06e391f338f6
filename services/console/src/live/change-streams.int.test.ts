import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { WebhooksChangedSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/webhooks_changed_pb';
import { WEBHOOK_CHANGES_BROADCAST } from '@partner/proto-contracts/topology';
import { type AmqpConnection, createAmqpConnection } from '@partner/kernel/amqp/connection';
import type { Consumer } from '@partner/kernel/amqp/consumer';
import { createPublisher, type Publisher } from '@partner/kernel/amqp/publisher';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRecorder, type Recorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import { startChangeListener } from './change-streams.js';

const logger = silentLogger;
let connection: AmqpConnection;
let publisher: Publisher;
let listeners: Consumer[];
let received: Recorder<readonly string[]>[];

/** Starts the listener of a process, and waits until it receives. */
async function listen(): Promise<void> {
  const changes = createRecorder<readonly string[]>();
  const gaps = createRecorder<true>();
  received.push(changes);
  listeners.push(
    startChangeListener({
      connection,
      changeStreams: {
        changed: (companyId, ids) => changes.record([companyId, ...ids]),
        lookAgain: () => gaps.record(true),
      },
      logger,
    }),
  );
  await gaps.atLeast(1);
}

function broadcast(type: string, body: Uint8Array): Promise<void> {
  const exchange = WEBHOOK_CHANGES_BROADCAST;
  return publisher.publish({ exchange, routingKey: type, messageId: 'evt_1', type, body, mayBeLost: true });
}

beforeEach(async () => {
  const metrics = new Registry();
  connection = createAmqpConnection({ url: testAmqpUrl(), name: 'test', logger, metrics });
  publisher = createPublisher({ connection, logger, metrics });
  listeners = [];
  received = [];
  await listen();
});

afterEach(async () => {
  await Promise.all(listeners.map((listener) => listener.stop()));
  await connection.close();
});

describe('the listener of changes', () => {
  test('forwards live updates to the streams of every process', async () => {
    await listen();
    const message = create(WebhooksChangedSchema, {
      companyId: 'cmp_first',
      others: [{ companyId: 'cmp_listener', subscriptionIds: ['whk_1', 'whk_2'] }],
    });
    await broadcast(WebhooksChangedSchema.typeName, toBinary(WebhooksChangedSchema, message));
    const found = await Promise.all(
      received.map((changes) => changes.find(([companyId]) => companyId === 'cmp_listener')),
    );
    expect(found).toEqual([
      ['cmp_listener', 'whk_1', 'whk_2'],
      ['cmp_listener', 'whk_1', 'whk_2'],
    ]);
  });

  test('skips malformed messages, and continues', async () => {
    await broadcast(WebhooksChangedSchema.typeName, Buffer.from([0xff]));
    await broadcast('partner.test.v1.Another', Buffer.alloc(0));
    await broadcast(WebhooksChangedSchema.typeName, Buffer.alloc(0));
    const message = create(WebhooksChangedSchema, { companyId: 'cmp_after' });
    await broadcast(WebhooksChangedSchema.typeName, toBinary(WebhooksChangedSchema, message));
    await received[0]?.find(([companyId]) => companyId === 'cmp_after');
    expect(listeners[0]?.isConsuming()).toBe(true);
  });
});
