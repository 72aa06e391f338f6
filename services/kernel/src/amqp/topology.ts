import {
  DEAD_LETTERS,
  EXCHANGES,
  type ExchangeDefinition,
  QUEUES,
  type QueueDefinition,
} from '@partner/proto-contracts/topology';
import type { Channel } from 'amqplib';

/** A dead letter may be looked at and put back as often as it takes; 4.x brokers would drop it after 20 times. */
const DEAD_LETTER_DELIVERY_LIMIT = 1_000_000;

/**
 * How exchanges and queues come to be there. `declare`: this process makes them. `check`: somebody else has made them, and
 * this process may have a user of the broker that is not allowed to.
 */
export type TopologyMode = 'declare' | 'check';

/**
 * Sees to it that exchanges and queues are there, each call on a channel that it closes and rejects for when they are not, or,
 * where they are declared, when one is there with other properties.
 */
export interface Topology {
  /**
   * Every exchange and queue of the contracts. Where they are only looked for, exchanges alone: a queue can be out of reach for
   * as long as a node of the broker is, and concerns then only those who read it.
   */
  provideAll(channel: Channel): Promise<void>;
  provideExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void>;
  /** A queue, its dead-letter queue, and the exchanges and bindings of both. */
  provideQueue(channel: Channel, queue: QueueDefinition): Promise<void>;
}

/** The topology in a mode. Checks look for names alone: the broker tells properties only to who may declare. */
export function createTopology(mode: TopologyMode): Topology {
  const [provideExchange, provideQueue] =
    mode === 'declare' ? ([declareExchange, declareQueue] as const) : ([checkExchange, checkQueue] as const);
  return {
    async provideAll(channel) {
      await Promise.all([
        ...EXCHANGES.map((exchange) => provideExchange(channel, exchange)),
        ...(mode === 'declare' ? QUEUES : []).map((queue) => provideQueue(channel, queue)),
      ]);
    },
    provideExchange,
    provideQueue,
  };
}

async function checkExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void> {
  await channel.checkExchange(exchange.name);
}

async function checkQueue(channel: Channel, queue: QueueDefinition): Promise<void> {
  const names = [queue.name, queue.deadLetterQueue].filter((name) => name !== undefined);
  await Promise.all(names.map((name) => channel.checkQueue(name)));
}

/** Declares a durable exchange. */
async function declareExchange(channel: Channel, exchange: ExchangeDefinition): Promise<void> {
  await channel.assertExchange(exchange.name, exchange.type, { durable: true });
}

/**
 * Declares a queue, its dead-letter queue, and the exchanges and bindings of both. A dead letter of a quorum queue is kept
 * there until the dead-letter queue has confirmed it.
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
  // The channel sends them one after another in this order.
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
