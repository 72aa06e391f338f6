import { beforeEach, describe, expect, test } from '@jest/globals';
import { connected, connection, logger, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { type DeadLetter, type DeadLetterVerdict, goThroughDeadLetters } from './dead-letters.js';
import { inspectQueues, replyCodeOf } from './inspect-queues.js';
import { createPublisher, type Publisher } from './publisher.js';

const DIED_AT = new Date('2026-09-01T08:00:00.250Z');

describe('dead letters', () => {
  let publisher: Publisher;

  beforeEach(async () => {
    publisher = createPublisher({ connection, logger, metrics });
    await connected();
  });

  async function queueWith(...bodies: readonly string[]) {
    const queue = await probe.declareTestQueue();
    for (const [index, body] of bodies.entries()) {
      probe.send(queue.deadLetterQueue, body, {
        messageId: `message-${index}`,
        type: 'a.B',
        headers: {
          'x-dead-reason': `reason ${index}`,
          // A consumer of an earlier version dead-lettered the first one.
          ...(index > 0 && { 'x-died-at': DIED_AT.toISOString() }),
          traceparent: '00-trace',
          count: 7,
        },
      });
    }
    await probe.hasMessages(queue.deadLetterQueue, bodies.length);
    return queue;
  }

  async function go(
    queue: Awaited<ReturnType<typeof queueWith>>,
    judge: (letter: DeadLetter) => DeadLetterVerdict | Promise<DeadLetterVerdict>,
    limit = 100,
  ) {
    return goThroughDeadLetters({ connection, publisher }, queue, { limit, judge });
  }

  test('are inspected, oldest first up to the limit, and stay', async () => {
    const queue = await queueWith('one', 'two', 'three');
    const seen: DeadLetter[] = [];
    const outcome = await go(
      queue,
      (letter) => {
        seen.push(letter);
        return 'keep';
      },
      2,
    );
    expect(outcome).toEqual({ kept: 2, requeued: 0, discarded: 0 });
    expect(seen).toEqual([
      {
        messageId: 'message-0',
        type: 'a.B',
        body: Buffer.from('one'),
        headers: { 'x-dead-reason': 'reason 0', traceparent: '00-trace' },
        reason: 'reason 0',
        diedAt: undefined,
      },
      expect.objectContaining({ messageId: 'message-1', reason: 'reason 1', diedAt: DIED_AT }),
    ]);
    await probe.hasMessages(queue.deadLetterQueue, 3);
  });

  test('are all visible to an inspection right after another', async () => {
    const bodies = ['1', '2', '3', '4', '5'];
    const queue = await queueWith(...bodies);
    for (let look = 0; look < 5; look += 1) {
      const seen: string[] = [];
      await go(queue, ({ body }) => {
        seen.push(Buffer.from(body).toString());
        return 'keep';
      });
      expect(seen.sort()).toEqual(bodies);
      await go(queue, () => 'keep', 1);
    }
  });

  test("have the broker's reason and time when the consumer set none", async () => {
    const queue = await queueWith();
    probe.send(queue.name, 'body');
    const message = await eventually('the message', () => probe.channel.get(queue.name));
    const before = Date.now();
    probe.channel.nack(message, false, false);
    await probe.hasMessages(queue.deadLetterQueue, 1);
    await go(queue, (letter) => {
      expect(letter).toMatchObject({ messageId: '', reason: 'rejected' });
      expect(letter.diedAt?.getTime()).toBeGreaterThanOrEqual(before - 2_000);
      return 'keep';
    });
    expect.assertions(2);
  });

  test('return to their original queue with their id and without the death headers, are discarded, or stay', async () => {
    const queue = await queueWith('one', 'two', 'three');
    const verdicts: Readonly<Record<string, DeadLetterVerdict>> = {
      'message-0': 'discard',
      'message-1': 'requeue',
    };
    const outcome = await go(queue, ({ messageId }) => verdicts[messageId] ?? 'keep');
    expect(outcome).toEqual({ kept: 1, requeued: 1, discarded: 1 });
    const { content, properties } = await probe.take(queue.name);
    expect(content.toString()).toBe('two');
    expect(properties).toMatchObject({ messageId: 'message-1', type: 'a.B', deliveryMode: 2 });
    expect(properties.headers).toMatchObject({ traceparent: '00-trace' });
    expect(JSON.stringify(properties.headers)).not.toMatch(/x-dead-reason|x-died-at/);
    await probe.hasMessages(queue.deadLetterQueue, 1);
    expect((await probe.take(queue.deadLetterQueue)).content.toString()).toBe('three');
  });

  test('are not lost when the work fails halfway or a copy is not confirmed', async () => {
    const queue = await queueWith('one', 'two');
    await expect(
      go(queue, ({ messageId }) => {
        if (messageId === 'message-1') throw new Error('killed');
        return 'keep';
      }),
    ).rejects.toThrow('killed');
    await probe.hasMessages(queue.deadLetterQueue, 2);

    await probe.channel.deleteQueue(queue.name);
    await expect(go(queue, () => 'requeue')).rejects.toMatchObject({ kind: 'returned' });
    await probe.hasMessages(queue.deadLetterQueue, 2);
  });

  test('that are dead-lettered again meanwhile cause no endless loop', async () => {
    const queue = await queueWith('one');
    const dieAgain = async ({ messageId }: DeadLetter) => {
      probe.send(queue.deadLetterQueue, 'again', { messageId });
      await probe.hasMessages(queue.deadLetterQueue, 1);
      return 'requeue' as const;
    };
    const outcome = await go(queue, dieAgain);
    expect(outcome).toEqual({ kept: 0, requeued: 1, discarded: 0 });
  });

  test('are counted without being consumed, and an undeclared queue is reported as missing', async () => {
    const queue = await queueWith('one', 'two');
    const inspections = await inspectQueues(connection, [queue.deadLetterQueue, 'no.such.queue', queue.name]);
    expect(inspections.get(queue.deadLetterQueue)).toEqual({
      name: queue.deadLetterQueue,
      messages: 2,
      consumers: 0,
    });
    expect(inspections.has('no.such.queue')).toBe(true);
    expect(inspections.get('no.such.queue')).toBeUndefined();
    expect(inspections.get(queue.name)).toMatchObject({ messages: 0 });
    const refused = go({ ...queue, deadLetterQueue: 'no.such.queue' }, () => 'keep');
    expect(replyCodeOf(await refused.catch((cause: unknown) => cause))).toBe(404);
  });
});
