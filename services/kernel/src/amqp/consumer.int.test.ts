import { describe, expect, test } from '@jest/globals';
import { connection, logger, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { heldBack } from '../testing/held-back.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { createRecorder } from '@partner/test-kit/recorder';
import type { AmqpConnection } from './connection.js';
import { type ConsumeOutcome, type IncomingMessage, startConsumer } from './consumer.js';

const DONE = { kind: 'done' } as const satisfies ConsumeOutcome;

type Handle = (message: IncomingMessage, count: number) => ConsumeOutcome | Promise<ConsumeOutcome>;

/** A consumer of a new queue whose messages are recorded, and whose channel the test can have closed. */
async function consume(
  handle: Handle = () => DONE,
  options: {
    prefetch?: number;
    deliveryLimit?: number;
    over?: Pick<AmqpConnection, 'openChannel' | 'isBlocked'>;
  } = {},
) {
  const { over = connection, prefetch = 10, ...limits } = options;
  const queue = await probe.declareTestQueue(limits);
  const received = createRecorder<IncomingMessage>();
  const { channels, ...observed } = observeConnection(over);
  const consumer = startConsumer({
    connection: observed,
    queue,
    prefetch,
    logger,
    metrics,
    handle: async (message) => {
      received.record(message);
      return handle(message, received.all().length);
    },
  });
  return {
    ...{ queue, received, consumer, channels },
    send: (messageId: string) => probe.send(queue.name, `body of ${messageId}`, { messageId }),
    lose: async () => {
      const { channel } = await channels.find(({ name }) => name.startsWith('consume'));
      await killChannel(channel);
    },
  };
}

async function outcomes(): Promise<Record<string, number>> {
  const values = (await metrics.getSingleMetric('partner_consumer_outcomes_total')?.get())?.values ?? [];
  const counts: Record<string, number> = {};
  for (const { labels, value } of values) counts[String(labels['outcome'])] = value;
  return counts;
}

describe('a consumer', () => {
  test('passes the complete message to the handler and acknowledges it when done', async () => {
    const { queue, received, consumer } = await consume();
    probe.send(queue.name, 'body', { messageId: 'evt_1', type: 'a.B', headers: { 'x-request-id': 'req-1' } });
    const [message] = await received.atLeast(1);
    expect(message).toEqual({
      messageId: 'evt_1',
      type: 'a.B',
      body: Buffer.from('body'),
      headers: { 'x-request-id': 'req-1' },
      redelivered: false,
    });
    expect(consumer.isConsuming()).toBe(true);
    await consumer.stop();
    expect(consumer.isConsuming()).toBe(false);
    await probe.hasMessages(queue.name, 0);
    expect(await outcomes()).toEqual({ done: 1 });
  });

  test('handles as many messages at once as the prefetch allows, and no more', async () => {
    const { gate, finish } = heldBack();
    const { queue, received, send } = await consume(() => gate.then(() => DONE), { prefetch: 3 });
    for (let index = 0; index < 7; index += 1) send(String(index));
    await received.atLeast(3);
    await probe.hasMessages(queue.name, 4);
    expect(received.all()).toHaveLength(3);
    finish();
    await received.atLeast(7);
  });

  test("handles a message again after a retry's pause, which does not count towards the delivery limit", async () => {
    const handle: Handle = (_message, count) => (count < 5 ? { kind: 'retry', afterMs: 5 } : DONE);
    const { queue, received, send } = await consume(handle, { deliveryLimit: 1 });
    send('evt_1');
    const messages = await received.atLeast(5);
    expect(messages.map(({ redelivered }) => redelivered)).toEqual([false, false, false, false, false]);
    await eventually('the last outcome', async () => (await outcomes())['done'] === 1);
    expect(await outcomes()).toEqual({ retry: 4, done: 1 });
    await probe.hasMessages(`${queue.name}.dead`, 0);
  });

  test('requeues a message whose handler throws, until its delivery limit dead-letters it', async () => {
    const fail = () => Promise.reject(new Error('a failing handler'));
    const { queue, received, send } = await consume(fail, { deliveryLimit: 1 });
    send('evt_poison');
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.content.toString()).toBe('body of evt_poison');
    expect(dead.properties.messageId).toBe('evt_poison');
    expect(dead.properties.headers?.['x-death']).toMatchObject([{ reason: 'delivery_limit' }]);
    expect(received.all().map(({ redelivered }) => redelivered)).toEqual([false, true]);
    expect(await outcomes()).toEqual({ failed: 2 });
  });

  const refusePoison: Handle = ({ messageId }) =>
    messageId === 'evt_poison' ? { kind: 'dead', reason: 'no job id' } : DONE;

  test('moves a dead message to the dead-letter queue with reason and time, and continues with the next', async () => {
    const { queue, received, send } = await consume(refusePoison);
    const properties = { messageId: 'evt_poison', type: 'a.B', headers: { 'x-request-id': 'r' } };
    probe.send(queue.name, 'poison', properties);
    send('evt_fine');
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.content.toString()).toBe('poison');
    expect(dead.properties).toMatchObject({
      ...properties,
      deliveryMode: 2,
      headers: {
        'x-dead-reason': 'no job id',
        'x-died-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        'x-request-id': 'r',
      },
    });
    await received.find(({ messageId }) => messageId === 'evt_fine');
    await probe.hasMessages(queue.name, 0);
  });

  test('leaves a dead message to the broker when the copy with the reason cannot be published', async () => {
    const neverOpen = { isOpen: () => false, rebuild: () => undefined, close: async () => undefined };
    const withoutPublishing: Pick<AmqpConnection, 'openChannel' | 'isBlocked'> = {
      isBlocked: () => false,
      openChannel: (plan) => (plan.confirm ? neverOpen : connection.openChannel(plan)),
    };
    const { queue, send } = await consume(refusePoison, { over: withoutPublishing });
    send('evt_poison');
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.properties.messageId).toBe('evt_poison');
    expect(dead.properties.headers?.['x-death']).toMatchObject([{ reason: 'rejected' }]);
  });
});

describe('a consumer that is interrupted', () => {
  test('subscribes again after its channel was closed, and drops the acknowledgements of the old one', async () => {
    const { gate, finish } = heldBack();
    const { queue, received, send, lose } = await consume(async (_message, count) => {
      if (count === 1) await gate;
      return DONE;
    });
    send('evt_1');
    await received.atLeast(1);
    await lose();
    const [, again] = await received.atLeast(2);
    expect(again?.redelivered).toBe(true);
    finish();
    await eventually('both outcomes', async () => (await outcomes())['done'] === 2);
    await probe.hasMessages(queue.name, 0);
    expect(connection.isReady()).toBe(true);
  });

  test('does not handle a message again whose channel was lost meanwhile', async () => {
    const { gate, finish } = heldBack();
    const { received, consumer, send, lose } = await consume(async ({ redelivered, messageId }) => {
      if (redelivered || messageId !== 'evt_1') return DONE;
      await gate;
      return { kind: 'retry', afterMs: 0 };
    });
    send('evt_1');
    await received.atLeast(1);
    await lose();
    await received.find(({ redelivered }) => redelivered);
    finish();
    await eventually('the retry', async () => (await outcomes())['retry'] === 1);
    send('evt_2');
    await received.find(({ messageId }) => messageId === 'evt_2');
    await consumer.stop();
    expect(received.all().map(({ messageId }) => messageId)).toEqual(['evt_1', 'evt_1', 'evt_2']);
  });

  test('ends the pause of a message whose channel is lost', async () => {
    const { queue, received, consumer, send, lose } = await consume(({ redelivered }) =>
      redelivered ? DONE : { kind: 'retry', afterMs: 3_600_000 },
    );
    send('evt_1');
    await received.atLeast(1);
    await lose();
    await received.find(({ redelivered }) => redelivered);
    await consumer.stop();
    expect(received.all()).toHaveLength(2);
    await probe.hasMessages(queue.name, 0);
  });

  test('subscribes again, on a queue that it redeclares, after the broker has cancelled it', async () => {
    const { queue, received, channels, send } = await consume();
    await channels.find(({ name }) => name.startsWith('consume'));
    await probe.channel.deleteQueue(queue.name);
    await channels.atLeast(3);
    send('evt_1');
    expect(await received.atLeast(1)).toMatchObject([{ messageId: 'evt_1' }]);
  });

  test('waits on stop for messages in flight, and requeues those that wait for a retry', async () => {
    const { gate, finish } = heldBack();
    const { queue, received, consumer, send } = await consume(async ({ messageId }) => {
      if (messageId === 'slow') await gate;
      return messageId === 'slow' ? DONE : { kind: 'retry', afterMs: 3_600_000 };
    });
    send('slow');
    send('later');
    await received.atLeast(2);
    let hasStopped = false;
    const stopping = consumer.stop().then(() => {
      hasStopped = true;
    });
    // The one that waited is back before the other one has finished.
    expect((await probe.take(queue.name)).properties.messageId).toBe('later');
    expect(hasStopped).toBe(false);
    finish();
    await stopping;
    await probe.hasMessages(queue.name, 0);
  });
});
