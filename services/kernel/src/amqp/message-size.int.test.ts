import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  createPrivateRabbitmq,
  type PrivateRabbitmq,
} from '@partner/test-kit/backing-services/private-rabbitmq';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { silentLogger } from '../telemetry/logger.js';
import { openBrokerProbe } from '../testing/broker-probe.js';
import { createAmqpConnection } from './connection.js';
import { MAX_MESSAGE_BYTES } from './message-size.js';
import { createPublisher } from './publisher.js';

let broker: PrivateRabbitmq;

beforeAll(async () => {
  broker = await createPrivateRabbitmq([`max_message_size = ${MAX_MESSAGE_BYTES}`]);
  await broker.start();
});
afterAll(() => broker.remove());

test('a message that the broker may refuse is not sent, and fails alone [LIMIT-7]', async () => {
  const options = { logger: silentLogger, metrics: new Registry() };
  const connection = createAmqpConnection({ ...options, url: broker.url, name: 'large' });
  const probe = await openBrokerProbe(broker.url);
  const queue = await probe.declareTestQueue({ type: 'classic' });
  const publisher = createPublisher({ ...options, connection });
  await eventually('the connection', () => connection.isReady());
  const publish = (bytes: number) =>
    publisher.publish({
      exchange: { name: '', type: 'direct' },
      routingKey: queue.name,
      messageId: 'm',
      type: 't',
      body: Buffer.alloc(bytes),
    });
  const sizes = [1, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + 1, 1];
  const sent = { status: 'fulfilled' };
  const refused = { reason: { kind: 'too-large', message: expect.stringContaining('8388609 bytes') } };
  expect(await Promise.allSettled(sizes.map(publish))).toMatchObject([sent, sent, refused, sent]);
  await probe.hasMessages(queue.name, 3);
  await publisher.close();
  await connection.close();
  await probe.close();
});
