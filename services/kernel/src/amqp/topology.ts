import {
  DEAD_LETTERS,
  EXCHANGES,
  type ExchangeDefinition,
  QUEUES,
  type QueueDefinition,
} from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';

/**
 * Effectively unlimited, so that a dead letter can be inspected and returned any number of times; 4.x brokers default
 * to 20.
 */
const DEAD_LETTER_DELIVERY_LIMIT = 1_000_000;

/**
 * How a process ensures its exchanges and queues. `declare`: it declares them, for a broker of one node.
 * `declare-cluster`: the same, but RPC queues are quorum queues, which survive the loss of a node and cost more.
 * `check`: they were declared elsewhere, and this process may have a broker user without the permission.
 */
export type TopologyMode = 'declare' | 'declare-cluster' | 'check';

/**
 * Ensures that exchanges and queues exist. Each call rejects and closes its channel if one is missing or, with
 * `declare`, if one exists with other properties.
 */
export interface Topology {
  /**
   * Ensures all exchanges and queues of the contracts. `check` covers exchanges only: a queue can be unreachable while
   * a broker node is down, which affects only its consumers.
   */
  provideAll(channel: Channel): Promise<void>;
  provideExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void>;
  /** Ensures a queue, its dead-letter queue, and the exchanges and bindings of both. Resolves to the name of the queue. */
  provideQueue(channel: Channel, queue: QueueDefinition): Promise<string>;
}

/**
 * Creates the topology of a mode. `check` compares names only: the broker shows properties only to users that may
 * declare.
 */
export function createTopology(mode: TopologyMode): Topology {
  const [provideExchange, provideQueue] =
    mode === 'check' ? ([checkExchange, checkQueue] as const) : ([declareExchange, declare] as const);

  async function declare(channel: Channel, queue: QueueDefinition): Promise<string> {
    await declareQueue(channel, mode === 'declare-cluster' ? { ...queue, type: 'quorum' } : queue);
    return queue.name;
  }

  return {
    async provideAll(channel) {
      await Promise.all([
        ...EXCHANGES.map((exchange) => provideExchange(channel, exchange)),
        ...(mode === 'check' ? [] : QUEUES).map((queue) => provideQueue(channel, queue)),
      ]);
    },
    provideExchange,
    provideQueue,
  };
}

async function checkExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void> {
  await channel.checkExchange(exchange.name);
}

async function checkQueue(channel: Channel, queue: QueueDefinition): Promise<string> {
  const names = [queue.name, queue.deadLetterQueue].filter((name) => name !== undefined);
  await Promise.all(names.map((name) => channel.checkQueue(name)));
  return queue.name;
}

async function declareExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void> {
  await channel.assertExchange(exchange.name, exchange.type, { durable: true });
}

/**
 * Declares a queue, its dead-letter queue, and the exchanges and bindings of both. A quorum queue keeps a dead letter
 * until the dead-letter queue has confirmed it.
 */
export async function declareQueue(channel: Channel, queue: QueueDefinition): Promise<void> {
  const declarations: Promise<unknown>[] = [];
  if (queue.deadLetterQueue !== undefined) {
    declarations.push(
      declareExchange(channel, DEAD_LETTERS),
      channel.assertQueue(queue.deadLetterQueue, {
        durable: true,
        arguments: {
          'x-queue-type': 'quorum',
          'x-overflow': 'reject-publish',
          'x-delivery-limit': DEAD_LETTER_DELIVERY_LIMIT,
        },
      }),
      channel.bindQueue(queue.deadLetterQueue, DEAD_LETTERS.name, queue.deadLetterQueue),
    );
  }
  declarations.push(channel.assertQueue(queue.name, { durable: true, arguments: queueArguments(queue) }));
  for (const binding of queue.bindings) {
    declarations.push(
      declareExchange(channel, binding.exchange),
      channel.bindQueue(queue.name, binding.exchange.name, binding.routingKey),
    );
  }
  // The channel sends them in this order.
  await Promise.all(declarations);
}

function queueArguments(queue: QueueDefinition): Record<string, string | number> {
  const queueArgs: Record<string, string | number> = {
    'x-queue-type': queue.type,
    'x-overflow': 'reject-publish',
  };
  if (queue.maxLength !== undefined) queueArgs['x-max-length'] = queue.maxLength;
  if (queue.deadLetterQueue !== undefined) {
    queueArgs['x-dead-letter-exchange'] = DEAD_LETTERS.name;
    queueArgs['x-dead-letter-routing-key'] = queue.deadLetterQueue;
  }
  if (queue.type === 'quorum') {
    if (queue.deadLetterQueue !== undefined) queueArgs['x-dead-letter-strategy'] = 'at-least-once';
    if (queue.deliveryLimit !== undefined) queueArgs['x-delivery-limit'] = queue.deliveryLimit;
  }
  return queueArgs;
}
