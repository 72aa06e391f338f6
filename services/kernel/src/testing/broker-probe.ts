import type { ExchangeDefinition, QueueDefinition } from '@partner/proto-contracts/topology';
import { connect, type Options } from 'amqplib';
import { declareQueue } from '../amqp/topology.js';
import { newId } from '../process/ids.js';
import { eventually } from '@partner/test-kit/eventually';

type TestQueue = QueueDefinition & { readonly deadLetterQueue: string };

export type BrokerProbe = Awaited<ReturnType<typeof openBrokerProbe>>;

/** Opens a broker client with which a test prepares and inspects queues. */
export async function openBrokerProbe(url: string) {
  const connection = await connect(url);
  connection.on('error', () => undefined);
  const channel = await connection.createChannel();
  channel.on('error', () => undefined);
  const created = new Set<string>();
  const exchanges = new Set<string>();
  return {
    channel,
    /** Declares a queue for RPC requests with its own exchange. */
    async declareRpcQueue(): Promise<QueueDefinition> {
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
    /** Declares a queue with a unique name. `close` deletes it and its dead-letter queue. */
    async declareTestQueue(properties: Partial<Omit<QueueDefinition, 'name' | 'bindings'>> = {}) {
      const name = `test.${newId('evt')}`;
      const deadLetterQueue = `${name}.dead`;
      const queue: TestQueue = { type: 'quorum', bindings: [], ...properties, name, deadLetterQueue };
      await declareQueue(channel, queue);
      created.add(queue.name).add(queue.deadLetterQueue);
      return queue;
    },
    send(queue: string, body: string, properties?: Options.Publish) {
      channel.sendToQueue(queue, Buffer.from(body), { persistent: true, ...properties });
    },
    /** Takes the next message of a queue; waits until there is one. */
    take: (queue: string) =>
      eventually(`a message in ${queue}`, async () => channel.get(queue, { noAck: true })),
    /** Resolves once a queue has that many messages, without unacknowledged ones. */
    async hasMessages(queue: string, count: number) {
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
