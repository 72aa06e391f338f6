import { afterEach, describe, expect, test } from '@jest/globals';
import { connection, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { type QueueWatch, startQueueWatch } from './start-queue-watch.js';

const NOW = new Date('2026-08-26T14:03:00Z');

describe('the watch of queues', () => {
  let watch: QueueWatch | undefined;

  afterEach(() => watch?.stop());

  async function valueOf(name: string, queue: string): Promise<number | undefined> {
    const found = await metrics.getSingleMetric(name)?.get();
    return found?.values.find(({ labels }) => labels['queue'] === queue)?.value;
  }

  test('exports the messages in a queue and in its dead-letter queue, and since when it is not empty', async () => {
    const queue = await probe.declareTestQueue();
    const dead = queue.deadLetterQueue ?? '';
    watch = startQueueWatch({ connection, queues: [queue], metrics, clock: () => NOW, intervalMs: 20 });
    const become = (name: string, of: string, value: number) =>
      eventually(`${name} ${value}`, async () => (await valueOf(name, of)) === value);

    expect(await valueOf('partner_dead_letter_queue_messages', dead)).toBeNaN();
    await become('partner_dead_letter_queue_messages', dead, 0);
    await become('partner_queue_messages', queue.name, 0);
    const since = 'partner_dead_letter_queue_nonempty_since_timestamp_seconds';
    expect(await valueOf(since, dead)).toBe(0);

    probe.send(dead, 'one');
    probe.send(dead, 'two');
    probe.send(queue.name, 'three');
    await become('partner_dead_letter_queue_messages', dead, 2);
    await become('partner_queue_messages', queue.name, 1);
    await become(since, dead, NOW.getTime() / 1_000);

    await probe.take(dead);
    await probe.take(dead);
    await become('partner_dead_letter_queue_messages', dead, 0);
    await become(since, dead, 0);
  });

  test('exports NaN while it has no connection, and counts consumers', async () => {
    const queue = await probe.declareTestQueue();
    const { consumerTag } = await probe.channel.consume(queue.name, () => undefined);
    watch = startQueueWatch({ connection, queues: [queue], metrics, clock: () => NOW, intervalMs: 20 });
    await eventually(
      'the consumer',
      async () => (await valueOf('partner_queue_consumers', queue.name)) === 1,
    );
    await probe.channel.cancel(consumerTag);
    await eventually('no consumer', async () => (await valueOf('partner_queue_consumers', queue.name)) === 0);
    await connection.close();
    expect(await valueOf('partner_queue_consumers', queue.name)).toBeNaN();
    expect(await valueOf('partner_queue_messages', queue.name)).toBeNaN();
  });

  test('recovers once a deleted queue exists again', async () => {
    const queue = await probe.declareTestQueue();
    watch = startQueueWatch({ connection, queues: [queue], metrics, clock: () => NOW, intervalMs: 20 });
    const known = async () => (await valueOf('partner_queue_messages', queue.name)) === 0;
    await eventually('the first inspection', known);
    await probe.channel.deleteQueue(queue.name);
    await eventually('the loss', async () =>
      Number.isNaN(await valueOf('partner_queue_messages', queue.name)),
    );
    await probe.channel.assertQueue(queue.name, { durable: true });
    expect(await eventually('the next inspection', known)).toBe(true);
  });

  test('exports the other queues while some are missing, and does not affect readiness', async () => {
    const [first, missing, last] = [
      await probe.declareTestQueue(),
      await probe.declareTestQueue(),
      await probe.declareTestQueue(),
    ];
    await probe.channel.deleteQueue(missing.name);
    await probe.channel.deleteQueue(missing.deadLetterQueue ?? '');
    const queues = [missing, first, last];
    watch = startQueueWatch({ connection, queues, metrics, clock: () => NOW, intervalMs: 20 });
    for (const { name } of [first, last]) {
      await eventually('the others', async () => (await valueOf('partner_queue_messages', name)) === 0);
    }
    await eventually('readiness', () => connection.isReady());
    probe.send(last.name, 'one');
    await eventually('news', async () => (await valueOf('partner_queue_messages', last.name)) === 1);
    expect(await valueOf('partner_queue_messages', missing.name)).toBeNaN();
    await probe.channel.assertQueue(missing.name, { durable: true });
    await eventually(
      'the queue that was missing',
      async () => (await valueOf('partner_queue_messages', missing.name)) === 0,
    );
  });
});
