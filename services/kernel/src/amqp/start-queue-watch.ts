import { setTimeout as delay } from 'node:timers/promises';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Registry } from 'prom-client';
import type { AmqpConnection } from './connection.js';
import { inspectQueues, type QueueInspection } from './inspect-queues.js';
import { gauge } from './metrics.js';

const UNKNOWN = { messages: Number.NaN, consumers: Number.NaN };
const NOTHING_KNOWN: Awaited<ReturnType<typeof inspectQueues>> = new Map();

export type QueueWatch = ReturnType<typeof startQueueWatch>;

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
}) {
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
  const deadNames = new Set(options.queues.flatMap(({ deadLetterQueue }) => deadLetterQueue ?? []));
  const names = [...options.queues.map(({ name }) => name), ...deadNames];
  const since = new Map<string, number>();
  const stopping = new AbortController();
  const { signal } = stopping;

  function report(queue: string, found: Pick<QueueInspection, 'messages' | 'consumers'>): void {
    if (!deadNames.has(queue)) {
      messages.set({ queue }, found.messages);
      consumers.set({ queue }, found.consumers);
      return;
    }
    deadMessages.set({ queue }, found.messages);
    if (found.messages === 0) since.delete(queue);
    if (found.messages > 0 && !since.has(queue)) since.set(queue, options.clock().getTime() / 1_000);
    deadSince.set({ queue }, since.get(queue) ?? 0);
  }

  async function inspectUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      const found = await inspectQueues(options.connection, names, signal).catch(() => NOTHING_KNOWN);
      for (const name of names) report(name, found.get(name) ?? UNKNOWN);
      await delay(options.intervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  for (const name of names) report(name, UNKNOWN);
  const ended = inspectUntilStopped();
  return {
    /** Ends the inspection in flight and waits until its channel is closed. */
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
