import { type Channel, type ConsumeMessage, IllegalOperationError } from 'amqplib';
import type { AmqpConnection } from './connection.js';
import type { Topology } from './topology.js';
import { within } from './within.js';

const CANCEL_LIMIT_MS = 3_000;

/** Something that takes messages from a queue. */
export interface Consumer {
  /** Takes no more messages, waits for the handlers in flight, and closes the channel. */
  stop(): Promise<void>;
  /** True while the broker has it as a consumer. */
  isConsuming(): boolean;
}

/** A message with the channel on which it came. Once that channel is lost, what is done to the delivery does nothing. */
export interface Delivery {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  /** True once the channel is lost: the broker has put the message back, and someone else may have it. */
  isLost(): boolean;
  ack(): void;
  /** Puts the message back into its queue. */
  requeue(): void;
  /** Gives the message up: to the dead-letter queue where there is one. */
  reject(): void;
}

/**
 * Consumes from a queue with a channel of its own, for as long as the connection lives: after the loss of the connection
 * or channel, and when the broker cancels the consumer, it subscribes anew. `handle` must not reject.
 */
export function startSubscription(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  /** Names the channel in logs and metrics. */
  readonly name: string;
  /** Messages that are unacknowledged at most. */
  readonly prefetch: number;
  readonly noAck?: boolean;
  /** Sees to what is consumed from and resolves to the queue's name. Runs before each subscription. */
  readonly provide: (channel: Channel, topology: Topology) => Promise<string>;
  readonly handle: (delivery: Delivery) => Promise<void> | void;
  readonly onSubscribed?: () => void;
  readonly onLost?: () => void;
  /** Runs at a stop, before the wait for the handlers. */
  readonly onStopping?: () => void;
}): Consumer {
  const inFlight = new Set<Promise<void>>();
  const lostChannels = new WeakSet<Channel>();
  let subscription: { readonly channel: Channel; readonly consumerTag: string } | undefined;
  let latest: Channel | undefined;
  let isStopping = false;

  const supervised = options.connection.openChannel({
    name: options.name,
    confirm: false,
    async setup(channel, topology) {
      latest = channel;
      const queueName = await options.provide(channel, topology);
      await channel.prefetch(options.prefetch);
      if (isStopping) return;
      const { consumerTag } = await channel.consume(
        queueName,
        (message) => {
          if (message === null) supervised.rebuild(new Error('the broker cancelled the consumer'));
          else begin(channel, message);
        },
        { noAck: options.noAck ?? false },
      );
      subscription = { channel, consumerTag };
      options.onSubscribed?.();
    },
    onLost() {
      if (latest !== undefined) lostChannels.add(latest);
      subscription = undefined;
      options.onLost?.();
    },
  });

  function begin(channel: Channel, message: ConsumeMessage): void {
    const handling = options.handle({
      message,
      channel,
      isLost: () => lostChannels.has(channel),
      ack: () => unlessClosed(() => channel.ack(message)),
      requeue: () => unlessClosed(() => channel.nack(message, false, true)),
      reject: () => unlessClosed(() => channel.nack(message, false, false)),
    });
    if (handling === undefined) return;
    const handled = handling
      // What has become of the message is then unknown: a new channel has it delivered again.
      .catch((error: unknown) =>
        supervised.rebuild(new Error('a delivery could not be settled', { cause: error })),
      )
      .finally(() => inFlight.delete(handled));
    inFlight.add(handled);
  }

  async function cancel(): Promise<void> {
    if (subscription === undefined) return;
    const { channel, consumerTag } = subscription;
    try {
      await within(CANCEL_LIMIT_MS, 'cancelling a consumer', channel.cancel(consumerTag));
    } catch {
      // Its channel is gone, and the consumer with it.
    }
  }

  return {
    isConsuming: () => subscription !== undefined && !isStopping,
    async stop() {
      isStopping = true;
      await cancel();
      options.onStopping?.();
      await Promise.all(inFlight);
      await supervised.close();
    },
  };
}

/** Runs an operation on a channel; that the channel has closed is no error. */
export function unlessClosed(operation: () => void): void {
  try {
    operation();
  } catch (error) {
    if (!(error instanceof IllegalOperationError)) throw error;
  }
}
