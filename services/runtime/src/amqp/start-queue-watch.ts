import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';
import type { Registry } from 'prom-client';
import type { AmqpConnection } from './connection.js';
import { gauge } from './metrics.js';

/** A watch that runs until it is stopped. */
export interface QueueWatch {
  stop(): Promise<void>;
}

/**
 * Looks at queues and their dead-letter queues at intervals and tells, as metrics, how many messages wait in each, how many
 * consumers it has, and since when this process has seen a dead-letter queue with something in it. It only asks: messages stay
 * where they are. NaN stands for what is not known, while there is no connection. Any number of replicas can watch.
 */
export function startQueueWatch(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly queues: readonly QueueDefinition[];
  readonly metrics: Registry;
  readonly clock: () => Date;
  /** Milliseconds between two looks. */
  readonly intervalMs: number;
}): QueueWatch {
  const messages = gauge(options.metrics, {
    name: 'partner_queue_messages',
    help: 'Messages of the broker that wait in a queue, without those that a consumer holds; NaN when it is not known',
    labels: ['queue'],
  });
  const consumers = gauge(options.metrics, {
    name: 'partner_queue_consumers',
    help: 'Consumers of a queue; NaN when it is not known',
    labels: ['queue'],
  });
  const deadMessages = gauge(options.metrics, {
    name: 'partner_dead_letter_queue_messages',
    help: 'Messages of the broker in a dead-letter queue: nobody has handled them; NaN when it is not known',
    labels: ['queue'],
  });
  const deadSince = gauge(options.metrics, {
    name: 'partner_dead_letter_queue_nonempty_since_timestamp_seconds',
    help: 'Since when this process has seen messages in a dead-letter queue; 0 while there are none',
    labels: ['queue'],
  });
  const names = options.queues.map(({ name }) => name);
  const deadNames = options.queues.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []);
  const since = new Map<string, number>();
  let current: Channel | undefined;
  let looking = Promise.resolve();

  function forget(): void {
    current = undefined;
    for (const queue of names) {
      messages.set({ queue }, Number.NaN);
      consumers.set({ queue }, Number.NaN);
    }
    for (const queue of deadNames) deadMessages.set({ queue }, Number.NaN);
  }

  async function look(channel: Channel): Promise<void> {
    for (const queue of names) {
      const found = await channel.checkQueue(queue);
      messages.set({ queue }, found.messageCount);
      consumers.set({ queue }, found.consumerCount);
    }
    for (const queue of deadNames) {
      const { messageCount } = await channel.checkQueue(queue);
      deadMessages.set({ queue }, messageCount);
      if (messageCount === 0) since.delete(queue);
      else if (!since.has(queue)) since.set(queue, options.clock().getTime() / 1_000);
      deadSince.set({ queue }, since.get(queue) ?? 0);
    }
  }

  forget();
  for (const queue of deadNames) deadSince.set({ queue }, 0);
  const channel = options.connection.openChannel({
    name: 'queue watch',
    confirm: false,
    async setup(opened) {
      await look(opened);
      current = opened;
    },
    onLost: forget,
  });
  const timer = setInterval(() => {
    if (current === undefined) return;
    const present = current;
    current = undefined;
    // A look that fails has lost its channel, and the next one begins with a look.
    looking = look(present).then(
      () => {
        if (channel.isOpen()) current = present;
      },
      () => undefined,
    );
  }, options.intervalMs);

  return {
    async stop() {
      clearInterval(timer);
      await Promise.all([channel.close(), looking]);
    },
  };
}
