import { afterEach, describe, expect, test } from '@jest/globals';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import { connection, metrics, probe } from '../testing/over-broker.js';
import { eventually } from '@partner/test-kit/eventually';
import { type QueueWatch, startQueueWatch } from './start-queue-watch.js';

const NOW = new Date('2026-08-26T14:03:00Z');

describe('the watch of queues', () => {
  let running: QueueWatch | undefined;

  afterEach(() => running?.stop());

  function watch(...queues: readonly QueueDefinition[]): void {
    running = startQueueWatch({ connection, queues, metrics, clock: () => NOW, intervalMs: 20 });
  }

  async function valueOf(name: string, queue: string): Promise<number | undefined> {
    const found = await metrics.getSingleMetric(`partner_${name}`)?.get();
    return found?.values.find(({ labels }) => labels['queue'] === queue)?.value;
  }
  const become = (name: string, queue: string, value: number) =>
    eventually(`${name} ${value}`, async () => Object.is(await valueOf(name, queue), value));

  test('exports messages and consumers of a queue, messages of its dead-letter queue, and since when it has some', async () => {
    const queue = await probe.declareTestQueue();
    const { deadLetterQueue: dead } = queue;
    const { consumerTag } = await probe.channel.consume(queue.name, () => undefined);
    watch(queue);
    expect(await valueOf('dead_letter_queue_messages', dead)).toBeNaN();
    await become('dead_letter_queue_messages', dead, 0);
    await become('queue_consumers', queue.name, 1);
    const since = 'dead_letter_queue_nonempty_since_timestamp_seconds';
    expect(await valueOf(since, dead)).toBe(0);

    await probe.channel.cancel(consumerTag);
    for (const name of [dead, dead, queue.name]) probe.send(name, 'one');
    await become('dead_letter_queue_messages', dead, 2);
    await become('queue_messages', queue.name, 1);
    await become('queue_consumers', queue.name, 0);
    await become(since, dead, NOW.getTime() / 1_000);

    await probe.take(dead);
    await probe.take(dead);
    await become('dead_letter_queue_messages', dead, 0);
    await become(since, dead, 0);
  });

  test('exports NaN for a queue that is missing and continues with the others, ready as before', async () => {
    const [first, missing, last] = [
      await probe.declareTestQueue(),
      await probe.declareTestQueue(),
      await probe.declareTestQueue(),
    ];
    watch(missing, first, last);
    await become('queue_messages', missing.name, 0);
    await probe.channel.deleteQueue(missing.name);
    await probe.channel.deleteQueue(missing.deadLetterQueue);
    await become('queue_messages', missing.name, Number.NaN);
    await become('queue_messages', first.name, 0);
    expect(await eventually('readiness', () => connection.isReady())).toBe(true);
    probe.send(last.name, 'one');
    await become('queue_messages', last.name, 1);
    await probe.channel.assertQueue(missing.name, { durable: true });
    await become('queue_messages', missing.name, 0);
  });

  test('ends the inspection in flight when it is stopped', async () => {
    watch(await probe.declareTestQueue());
    await running?.stop();
    const wanted = await metrics.getSingleMetric('partner_amqp_channels_wanted')?.get();
    expect(wanted?.values).toMatchObject([{ value: 0 }]);
  });
});
