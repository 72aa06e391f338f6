import type { ExchangeDefinition } from '@partner/proto-contracts/topology';
import type { Logger } from '../telemetry/logger.js';
import type { AmqpConnection } from './connection.js';
import { type Consumer, incomingMessage, type IncomingMessage } from './consumer.js';
import { startSubscription } from './subscription.js';

const PREFETCH = 100;

/**
 * Consumes a fanout exchange through an exclusive queue of this process, which ends with its channel. Messages can be
 * missed, so `onGap` runs after each subscription, including the first. State that is derived from such messages must
 * then be dropped. Errors of the handler are logged.
 */
export function startBroadcastConsumer(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly exchange: ExchangeDefinition;
  readonly logger: Logger;
  readonly handle: (message: IncomingMessage) => void;
  readonly onGap: () => void;
}): Consumer {
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      options.logger.error({ err: error, exchange: options.exchange.name }, 'broadcast.handler_failed');
    }
  };
  return startSubscription({
    connection: options.connection,
    name: `receive ${options.exchange.name}`,
    prefetch: PREFETCH,
    noAck: true,
    provide: async (channel, topology) => {
      await topology.provideExchange(channel, options.exchange);
      const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false });
      await channel.bindQueue(queue, options.exchange.name, '');
      return queue;
    },
    handle: ({ message }) => guarded(() => options.handle(incomingMessage(message))),
    onSubscribed: () => guarded(options.onGap),
  });
}
