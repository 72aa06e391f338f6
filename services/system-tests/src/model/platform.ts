import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { PARTNER_EVENTS, PLATFORM } from '@partner/proto-contracts/topology';
import { createAmqpConnection } from '@partner/kernel/amqp/connection';
import { startConsumer } from '@partner/kernel/amqp/consumer';
import { createPublisher } from '@partner/kernel/amqp/publisher';
import { newId } from '@partner/kernel/ids';
import { silentLogger } from '@partner/kernel/logger';
import { openBrokerProbe } from '@partner/kernel/testing/broker-probe';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import type { PartnerEvent } from './history.js';

/** The company's CRM, played by the test. */
export interface Platform {
  /** Tells the service something, once per call; with the id of an earlier message it is that one again. */
  tell<Desc extends DescMessage>(
    schema: Desc,
    message: MessageInitShape<Desc>,
    messageId?: string,
  ): Promise<string>;
  /** All that it has heard, repeats included, in the order of arrival. */
  readonly heard: readonly PartnerEvent[];
  /** Resolves once it has heard everything that the broker has confirmed so far. */
  hearAll(): Promise<void>;
  close(): Promise<void>;
}

/** Type of the message after which nothing is on its way any more. */
const LAST = 'model.Last';

/** Connects the platform to a stack's broker, with a queue of its own for all that the service tells. */
export async function connectPlatform(amqpUrl: string): Promise<Platform> {
  const probe = await openBrokerProbe(amqpUrl);
  const queue = await probe.declareTestQueue();
  await probe.channel.bindQueue(queue.name, PARTNER_EVENTS.name, '#');
  const deps = { logger: silentLogger, metrics: new Registry() };
  const connection = createAmqpConnection({ url: amqpUrl, name: 'model platform', ...deps });
  const publisher = createPublisher({ connection, ...deps });
  const heard: PartnerEvent[] = [];
  const consumer = startConsumer({
    connection,
    queue,
    prefetch: 100,
    ...deps,
    handle: ({ messageId, type, body }) => {
      heard.push({ messageId, type, body });
      return Promise.resolve({ kind: 'done' });
    },
  });
  await eventually('the platform is connected', () => connection.isReady() && consumer.isConsuming());
  return {
    heard,
    async hearAll() {
      const messageId = newId('evt');
      await publisher.publish({
        exchange: PARTNER_EVENTS,
        routingKey: LAST,
        messageId,
        type: LAST,
        body: new Uint8Array(),
      });
      await eventually('the platform has heard everything', () =>
        heard.some((message) => message.messageId === messageId),
      );
    },
    async tell(schema, message, messageId = newId('evt')) {
      await publisher.publish({
        exchange: PLATFORM,
        routingKey: schema.typeName,
        messageId,
        type: schema.typeName,
        body: toBinary(schema, create(schema, message)),
      });
      return messageId;
    },
    async close() {
      await consumer.stop();
      await connection.close();
      await probe.close();
    },
  };
}
