import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';
import type { Registry } from 'prom-client';
import type { AmqpConnection } from './connection.js';
import { replyCodeOf } from './inspect-queues.js';
import { gauge } from './metrics.js';

export interface QueueWatch {
  stop(): Promise<void>;
}

/**
 * Exports metrics of queues and their dead-letter queues at intervals. They show the waiting messages and consumers of
 * each queue, and since when this process has seen messages in a dead-letter queue. The watch is read-only. NaN means
 * unknown: there is no connection, the queue does not exist, or its broker node is unreachable. Readiness does not
 * depend on it, and any number of replicas can run it.
 */
export function startQueueWatch(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly queues: readonly QueueDefinition[];
  readonly metrics: Registry;
  readonly clock: () => Date;
  readonly intervalMs: number;
}): QueueWatch {
  const messages = gauge(options.metrics, {
    name: 'partner_queue_messages',
    help: 'Ready messages in a queue, without unacknowledged ones; NaN if unknown',
    labels: ['queue'],
  });
  const consumers = gauge(options.metrics, {
    name: 'partner_queue_consumers',
    help: 'Consumers of a queue; NaN if unknown',
    labels: ['queue'],
  });
  const deadMessages = gauge(options.metrics, {
    name: 'partner_dead_letter_queue_messages',
    help: 'Messages in a dead-letter queue; NaN if unknown',
    labels: ['queue'],
  });
  const deadSince = gauge(options.metrics, {
    name: 'partner_dead_letter_queue_nonempty_since_timestamp_seconds',
    help: 'Time since which this process has seen messages in a dead-letter queue; 0 without any',
    labels: ['queue'],
  });
  const names = options.queues.map(({ name }) => name);
  const deadNames = options.queues.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []);
  const since = new Map<string, number>();
  /**
   * Queues that the last inspection did not find. They are inspected last, because the broker closes the channel for a
   * missing queue.
   */
  const missing = new Set<string>();
  let inspected: string | undefined;
  let current: Channel | undefined;
  let inspecting = Promise.resolve();

  function markUnknown(queue: string): void {
    if (deadNames.includes(queue)) {
      deadMessages.set({ queue }, Number.NaN);
    } else {
      messages.set({ queue }, Number.NaN);
      consumers.set({ queue }, Number.NaN);
    }
  }

  function report(queue: string, found: { readonly messageCount: number; readonly consumerCount: number }) {
    if (!deadNames.includes(queue)) {
      messages.set({ queue }, found.messageCount);
      consumers.set({ queue }, found.consumerCount);
      return;
    }
    deadMessages.set({ queue }, found.messageCount);
    if (found.messageCount === 0) since.delete(queue);
    else if (!since.has(queue)) since.set(queue, options.clock().getTime() / 1_000);
    deadSince.set({ queue }, since.get(queue) ?? 0);
  }

  async function inspect(channel: Channel): Promise<void> {
    const all = [...names, ...deadNames];
    for (const queue of [...all.filter((name) => !missing.has(name)), ...missing]) {
      inspected = queue;
      report(queue, await channel.checkQueue(queue));
      missing.delete(queue);
    }
    inspected = undefined;
  }

  function lose(cause: Error): void {
    current = undefined;
    if (inspected !== undefined && replyCodeOf(cause) === 404) {
      // Move it behind the other missing queues, so that each of them is inspected.
      missing.delete(inspected);
      missing.add(inspected);
      markUnknown(inspected);
    } else {
      for (const queue of [...names, ...deadNames]) markUnknown(queue);
    }
    inspected = undefined;
  }

  for (const queue of [...names, ...deadNames]) markUnknown(queue);
  for (const queue of deadNames) deadSince.set({ queue }, 0);
  const channel = options.connection.openChannel({
    name: 'queue watch',
    confirm: false,
    isOptional: true,
    async setup(opened) {
      await inspect(opened);
      current = opened;
    },
    onLost: lose,
  });
  const timer = setInterval(() => {
    if (current === undefined) return;
    const present = current;
    current = undefined;
    // A failed inspection has lost its channel. The next channel starts with an inspection.
    inspecting = inspect(present).then(
      () => {
        if (channel.isOpen()) current = present;
      },
      () => undefined,
    );
  }, options.intervalMs);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all([channel.close(), inspecting]);
    },
  };
}
