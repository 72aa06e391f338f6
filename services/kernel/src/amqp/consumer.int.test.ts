import { describe, expect, test } from '@jest/globals';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import { connect, connection, logger, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { heldBack } from '../testing/held-back.js';
import { killChannel, observeConnection } from '../testing/observed-connection.js';
import { createRecorder } from '@partner/test-kit/recorder';
import type { AmqpConnection } from './connection.js';
import { type Consumer, type ConsumeOutcome, type IncomingMessage, startConsumer } from './consumer.js';

const DONE = { kind: 'done' } as const satisfies ConsumeOutcome;

function consume(
  queue: QueueDefinition,
  handle: (message: IncomingMessage) => Promise<ConsumeOutcome>,
  options: { prefetch?: number; over?: Pick<AmqpConnection, 'openChannel' | 'isBlocked'> } = {},
): Consumer {
  return startConsumer({
    connection: options.over ?? connection,
    queue,
    prefetch: options.prefetch ?? 10,
    logger,
    metrics,
    handle,
  });
}

/** A consumer whose channel the test can have closed. */
async function consumeOverChannel(
  queue: QueueDefinition,
  handle: (message: IncomingMessage) => Promise<ConsumeOutcome>,
) {
  const { channels, ...over } = observeConnection(connection);
  const consumer = consume(queue, handle, { over });
  const { channel } = await channels.find(({ name }) => name.startsWith('consume'));
  return { consumer, channels, lose: () => killChannel(channel) };
}

async function outcomes(): Promise<Record<string, number>> {
  const values = (await metrics.getSingleMetric('partner_consumer_outcomes_total')?.get())?.values ?? [];
  const counts: Record<string, number> = {};
  for (const { labels, value } of values) counts[String(labels['outcome'])] = value;
  return counts;
}

describe('a consumer', () => {
  test('passes the complete message to the handler and acknowledges it when done', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<IncomingMessage>();
    const consumer = consume(queue, async (message) => {
      received.record(message);
      return DONE;
    });
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
    const queue = await probe.declareTestQueue();
    const started = createRecorder<string>();
    const { gate, finish } = heldBack();
    let running = 0;
    let most = 0;
    consume(
      queue,
      async (message) => {
        running += 1;
        most = Math.max(most, running);
        started.record(message.messageId);
        await gate;
        running -= 1;
        return DONE;
      },
      { prefetch: 3 },
    );
    for (let index = 0; index < 7; index += 1) probe.send(queue.name, 'x', { messageId: String(index) });
    await started.atLeast(3);
    await probe.hasMessages(queue.name, 4);
    finish();
    await started.atLeast(7);
    expect(most).toBe(3);
  });

  test("handles a message again after a retry's pause, which does not count towards the delivery limit", async () => {
    const queue = await probe.declareTestQueue({ deliveryLimit: 1 });
    const received = createRecorder<IncomingMessage>();
    consume(queue, async (message) => {
      received.record(message);
      return received.all().length < 5 ? { kind: 'retry', afterMs: 5 } : DONE;
    });
    probe.send(queue.name, 'x');
    const messages = await received.atLeast(5);
    expect(messages.map(({ redelivered }) => redelivered)).toEqual([false, false, false, false, false]);
    await eventually('the last outcome', async () => (await outcomes())['done'] === 1);
    expect(await outcomes()).toEqual({ retry: 4, done: 1 });
    await probe.hasMessages(`${queue.name}.dead`, 0);
  });

  test('requeues a message whose handler throws, until its delivery limit dead-letters it', async () => {
    const queue = await probe.declareTestQueue({ deliveryLimit: 1 });
    const received = createRecorder<IncomingMessage>();
    consume(queue, async (message) => {
      received.record(message);
      throw new Error('a failing handler');
    });
    probe.send(queue.name, 'poison', { messageId: 'evt_poison' });
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.content.toString()).toBe('poison');
    expect(dead.properties.messageId).toBe('evt_poison');
    expect(dead.properties.headers?.['x-death']).toMatchObject([{ reason: 'delivery_limit' }]);
    expect(received.all().map(({ redelivered }) => redelivered)).toEqual([false, true]);
    expect(await outcomes()).toEqual({ failed: 2 });
  });

  test('moves a dead message to the dead-letter queue with reason and time, and continues with the next', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<string>();
    consume(queue, async (message) => {
      received.record(message.messageId);
      return message.messageId === 'evt_poison' ? { kind: 'dead', reason: 'no job id' } : DONE;
    });
    probe.send(queue.name, 'poison', {
      messageId: 'evt_poison',
      type: 'a.B',
      headers: { 'x-request-id': 'r' },
    });
    probe.send(queue.name, 'fine', { messageId: 'evt_fine' });
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.content.toString()).toBe('poison');
    expect(dead.properties).toMatchObject({
      messageId: 'evt_poison',
      type: 'a.B',
      deliveryMode: 2,
      headers: {
        'x-dead-reason': 'no job id',
        'x-died-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        'x-request-id': 'r',
      },
    });
    await received.find((id) => id === 'evt_fine');
    await probe.hasMessages(queue.name, 0);
  });

  test('leaves a dead message to the broker when the copy with the reason cannot be published', async () => {
    const queue = await probe.declareTestQueue();
    const neverOpen = { isOpen: () => false, rebuild: () => undefined, close: async () => undefined };
    const withoutPublishing: Pick<AmqpConnection, 'openChannel' | 'isBlocked'> = {
      isBlocked: () => false,
      openChannel: (plan) => (plan.confirm ? neverOpen : connection.openChannel(plan)),
    };
    consume(queue, async () => ({ kind: 'dead', reason: 'no job id' }), { over: withoutPublishing });
    probe.send(queue.name, 'poison', { messageId: 'evt_poison' });
    const dead = await probe.take(`${queue.name}.dead`);
    expect(dead.properties.messageId).toBe('evt_poison');
    expect(dead.properties.headers?.['x-death']).toMatchObject([{ reason: 'rejected' }]);
  });
});

describe('a consumer that is interrupted', () => {
  test('has a message redelivered to another replica when it crashes before the acknowledgement', async () => {
    const queue = await probe.declareTestQueue();
    const doomed = connect('doomed');
    const started = createRecorder<string>();
    consume(
      queue,
      async ({ messageId }) => {
        started.record(messageId);
        return new Promise<ConsumeOutcome>(() => undefined);
      },
      { over: doomed },
    );
    probe.send(queue.name, 'x', { messageId: 'evt_1' });
    await started.atLeast(1);
    const received = createRecorder<IncomingMessage>();
    consume(queue, async (message) => {
      received.record(message);
      return DONE;
    });
    await doomed.close();
    const [message] = await received.atLeast(1);
    expect(message).toMatchObject({ messageId: 'evt_1', redelivered: true });
  });

  test('subscribes again after its channel was closed, and drops the acknowledgements of the old one', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<IncomingMessage>();
    const { gate, finish } = heldBack();
    const { lose } = await consumeOverChannel(queue, async (message) => {
      received.record(message);
      if (received.all().length === 1) await gate;
      return DONE;
    });
    probe.send(queue.name, 'x');
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
    const queue = await probe.declareTestQueue();
    const received = createRecorder<IncomingMessage>();
    const { gate, finish } = heldBack();
    const { consumer, lose } = await consumeOverChannel(queue, async (message) => {
      received.record(message);
      if (message.redelivered || message.messageId !== 'evt_1') return DONE;
      await gate;
      return { kind: 'retry', afterMs: 0 };
    });
    probe.send(queue.name, 'x', { messageId: 'evt_1' });
    await received.atLeast(1);
    await lose();
    await received.find(({ redelivered }) => redelivered);
    finish();
    await eventually('the retry', async () => (await outcomes())['retry'] === 1);
    probe.send(queue.name, 'x', { messageId: 'evt_2' });
    await received.find(({ messageId }) => messageId === 'evt_2');
    await consumer.stop();
    expect(received.all().map(({ messageId }) => messageId)).toEqual(['evt_1', 'evt_1', 'evt_2']);
  });

  test('ends the pause of a message whose channel is lost', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<IncomingMessage>();
    const { consumer, lose } = await consumeOverChannel(queue, async (message) => {
      received.record(message);
      return message.redelivered ? DONE : { kind: 'retry', afterMs: 3_600_000 };
    });
    probe.send(queue.name, 'x');
    await received.atLeast(1);
    await lose();
    await received.find(({ redelivered }) => redelivered);
    await consumer.stop();
    expect(received.all()).toHaveLength(2);
    await probe.hasMessages(queue.name, 0);
  });

  test('subscribes again, on a queue that it redeclares, after the broker has cancelled it', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<IncomingMessage>();
    const { channels } = await consumeOverChannel(queue, async (message) => {
      received.record(message);
      return DONE;
    });
    await probe.channel.deleteQueue(queue.name);
    await channels.atLeast(3);
    probe.send(queue.name, 'after the cancel');
    const [message] = await received.atLeast(1);
    expect(Buffer.from(message?.body ?? []).toString()).toBe('after the cancel');
  });

  test('waits on stop for messages in flight, and requeues those that wait for a retry', async () => {
    const queue = await probe.declareTestQueue();
    const received = createRecorder<string>();
    const { gate, finish } = heldBack();
    const consumer = consume(queue, async ({ messageId }) => {
      received.record(messageId);
      if (messageId === 'slow') await gate;
      return messageId === 'slow' ? DONE : { kind: 'retry', afterMs: 3_600_000 };
    });
    probe.send(queue.name, 'x', { messageId: 'slow' });
    probe.send(queue.name, 'x', { messageId: 'later' });
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
