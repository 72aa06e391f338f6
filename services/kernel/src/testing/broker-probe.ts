import type { ExchangeDefinition, QueueDefinition } from '@partner/proto-contracts/topology';
import { type Channel, connect, type GetMessage, type Options } from 'amqplib';
import { declareQueue } from '../amqp/topology.js';
import { newId } from '../process/ids.js';
import { eventually } from '@partner/test-kit/eventually';

type TestQueue = QueueDefinition & { readonly deadLetterQueue: string };

/** A broker client with which a test prepares and inspects queues. */
export interface BrokerProbe {
  readonly channel: Channel;
  /** Declares a queue with a unique name. `close` deletes it and its dead-letter queue. */
  declareTestQueue(properties?: Partial<Omit<QueueDefinition, 'name' | 'bindings'>>): Promise<TestQueue>;
  /** Declares a queue for RPC requests with its own exchange. */
  declareRpcQueue(): Promise<QueueDefinition>;
  send(queue: string, body: string, properties?: Options.Publish): void;
  /** Takes the next message of a queue; waits until there is one. */
  take(queue: string): Promise<GetMessage>;
  /** Resolves once a queue has that many messages, without unacknowledged ones. */
  hasMessages(queue: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export async function openBrokerProbe(url: string): Promise<BrokerProbe> {
  const connection = await connect(url);
  connection.on('error', () => undefined);
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  const created = new Set<string>();
  const exchanges = new Set<string>();
  return {
    channel,
    async declareRpcQueue() {
      const name = `test.${newId('evt')}`;
      const exchange: ExchangeDefinition = { name, type: 'direct' };
      const queue = {
        name,
        type: 'classic',
        bindings: [{ exchange, routingKey: name }],
      } satisfies QueueDefinition;
      await declareQueue(channel, queue);
      created.add(name);
      exchanges.add(name);
      return queue;
    },
    async declareTestQueue(properties = {}) {
      const name = `test.${newId('evt')}`;
      const deadLetterQueue = `${name}.dead`;
      const queue: TestQueue = { type: 'quorum', bindings: [], ...properties, name, deadLetterQueue };
      await declareQueue(channel, queue);
      created.add(queue.name).add(queue.deadLetterQueue);
      return queue;
    },
    send(queue, body, properties) {
      channel.sendToQueue(queue, Buffer.from(body), { persistent: true, ...properties });
    },
    take: (queue) =>
      eventually(`a message in ${queue}`, async () => {
        return channel.get(queue, { noAck: true });
      }),
    async hasMessages(queue, count) {
      await eventually(`${count} messages in ${queue}`, async () => {
        const { messageCount } = await channel.checkQueue(queue);
        return messageCount === count;
      });
    },
    async close() {
      for (const queue of created) await channel.deleteQueue(queue);
      for (const exchange of exchanges) await channel.deleteExchange(exchange);
      await connection.close();
    },
  };
}
