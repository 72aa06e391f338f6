import { describe, expect, test } from '@jest/globals';
import type { ExchangeDefinition, QueueDefinition } from '@partner/proto-contracts/topology';
import { connected, connection, logger, metrics, probe } from '../testing/over-broker.js';
import { testAmqpUrl } from '@partner/test-kit/backing-services/server-urls';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import { observeConnection } from '../testing/observed-connection.js';
import { startTcpProxy } from '@partner/test-kit/tcp-proxy';
import { createAmqpConnection } from './connection.js';
import { createPublisher, type OutgoingMessage } from './publisher.js';

/** The broker's default exchange: routing key = queue name. */
const TO_QUEUE = { name: '', type: 'direct' } as const satisfies ExchangeDefinition;

function messageTo(queue: Pick<QueueDefinition, 'name'>, body = 'body'): OutgoingMessage {
  return {
    exchange: TO_QUEUE,
    routingKey: queue.name,
    messageId: 'evt_1',
    type: 'partner.test.v1.Happened',
    body: Buffer.from(body),
  };
}

/** A queue, and a publisher that is connected. */
async function publisherOf(properties: Parameters<typeof probe.declareTestQueue>[0] = {}) {
  const queue = await probe.declareTestQueue(properties);
  const publisher = createPublisher({ connection, logger, metrics, confirmTimeoutMs: 60_000 });
  await connected();
  return { queue, publisher };
}

describe('a publisher', () => {
  test('resolves once the broker has confirmed, and the message is persistent with all given properties', async () => {
    const { queue, publisher } = await publisherOf();
    await publisher.publish({ ...messageTo(queue), headers: { 'x-request-id': 'req-1' } });
    const { content, properties } = await probe.take(queue.name);
    expect(content.toString()).toBe('body');
    expect(properties).toMatchObject({
      messageId: 'evt_1',
      type: 'partner.test.v1.Happened',
      deliveryMode: 2,
      headers: { 'x-request-id': 'req-1' },
    });
  });

  test('pipelines many publishes and keeps their order', async () => {
    const { queue, publisher } = await publisherOf({ type: 'classic' });
    const count = 1_000;
    await Promise.all(
      Array.from({ length: count }, (_, index) => publisher.publish(messageTo(queue, String(index)))),
    );
    await probe.hasMessages(queue.name, count);
    const bodies: string[] = [];
    for (let index = 0; index < 100; index += 1) {
      bodies.push((await probe.take(queue.name)).content.toString());
    }
    expect(bodies).toEqual(Array.from({ length: 100 }, (_, index) => String(index)));
  });

  test('rejects a message that no queue accepts, though the broker acknowledges it', async () => {
    const { queue, publisher } = await publisherOf();
    const [lost, kept] = await Promise.allSettled([
      publisher.publish(messageTo({ name: 'test.there-is-no-such-queue' })),
      publisher.publish(messageTo(queue)),
    ]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { name: 'PublishError', kind: 'returned' } });
    expect(kept).toMatchObject({ status: 'fulfilled' });
    expect(await metrics.getSingleMetricAsString('partner_publish_failures_total')).toContain(
      'kind="returned"} 1',
    );
  });

  test('needs no queue for a message that may be lost, and does not persist it', async () => {
    const { queue, publisher } = await publisherOf({ type: 'classic' });
    await publisher.publish({ ...messageTo({ name: 'test.there-is-no-such-queue' }), mayBeLost: true });
    await publisher.publish({ ...messageTo(queue), mayBeLost: true });
    expect((await probe.take(queue.name)).properties.deliveryMode).not.toBe(2);
  });

  test('rejects a message that a full queue refuses, and then opens another channel and closes the former one', async () => {
    const full = await probe.declareTestQueue({ maxLength: 1 });
    const queue = await probe.declareTestQueue();
    const observed = observeConnection(connection);
    const publisher = createPublisher({ connection: observed, logger, metrics, confirmTimeoutMs: 60_000 });
    const [first] = await observed.channels.atLeast(1);
    const closed = createRecorder<string>();
    first?.channel.on('close', () => closed.record('closed'));
    const results: PromiseSettledResult<void>[] = [];
    // A quorum queue accepts a few more before it rejects, and only a channel of a certain age is replaced.
    await eventually('another channel', async () => {
      results.push(...(await Promise.allSettled([publisher.publish(messageTo(full))])));
      return observed.channels.all().length > 1;
    });
    expect(results[0]).toMatchObject({ status: 'fulfilled' });
    expect(results.at(-1)).toMatchObject({ status: 'rejected', reason: { kind: 'nacked' } });
    await publisher.publish(messageTo(queue));
    expect(await closed.atLeast(1)).toHaveLength(1);
  });

  test('rejects at once while there is no connection, and buffers nothing', async () => {
    const queue = await probe.declareTestQueue();
    const away = createAmqpConnection({ url: 'amqp://127.0.0.1:1', name: 'away', logger, metrics });
    const publisher = createPublisher({ connection: away, logger, metrics });
    await expect(publisher.publish(messageTo(queue))).rejects.toMatchObject({ kind: 'not-connected' });
    await away.close();
  });

  test('rejects with its time limit if the broker never confirms', async () => {
    const queue = await probe.declareTestQueue();
    const proxy = await startTcpProxy(testAmqpUrl());
    const silenced = createAmqpConnection({ url: proxy.url, name: 'silenced', logger, metrics });
    const publisher = createPublisher({ connection: silenced, logger, metrics, confirmTimeoutMs: 100 });
    await eventually('the connection', () => silenced.isReady());
    proxy.swallow();
    await expect(publisher.publish(messageTo(queue))).rejects.toMatchObject({
      kind: 'timeout',
      message: 'the broker did not confirm within 100 ms',
    });
    await proxy.close();
    await silenced.close();
  });

  test('rejects unconfirmed messages when its channel is lost, and publishes on the next one', async () => {
    const queue = await probe.declareTestQueue();
    const observed = observeConnection(connection);
    const publisher = createPublisher({ connection: observed, logger, metrics });
    await observed.channels.atLeast(1);
    const publishing = publisher.publish({
      ...messageTo(queue),
      exchange: { name: 'test.there-is-no-such-exchange', type: 'direct' },
    });
    await expect(publishing).rejects.toMatchObject({ kind: 'closed' });
    await observed.channels.atLeast(2);
    await publisher.publish(messageTo(queue));
  });

  test('flushes: waits for every confirm, and ends for those that fail', async () => {
    const { queue, publisher } = await publisherOf();
    const settled: string[] = [];
    const note = (text: string) => () => void settled.push(text);
    void publisher.publish(messageTo(queue)).then(note('confirmed'));
    publisher.publish(messageTo({ name: 'test.there-is-no-such-queue' })).catch(note('returned'));
    await publisher.flush();
    expect(settled.sort()).toEqual(['confirmed', 'returned']);
  });
});
