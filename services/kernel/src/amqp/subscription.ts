import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acknowledger, acknowledgeTogether, unlessClosed } from './acknowledge-together.js';
import type { AmqpConnection } from './connection.js';
import type { Topology } from './topology.js';
import { within } from './within.js';

const CANCEL_LIMIT_MS = 3_000;

/** A consumer of a queue. */
export interface Consumer {
  /** Stops receiving messages, waits for the handlers in flight, and closes the channel. */
  stop(): Promise<void>;
  /** True while the broker has this consumer registered. */
  isConsuming(): boolean;
}

/** A message and its channel. After the channel is lost, settling the delivery has no effect. */
export interface Delivery {
  readonly message: ConsumeMessage;
  readonly channel: Channel;
  /** True if the channel is lost. The broker has then requeued the message, and another consumer may hold it. */
  isLost(): boolean;
  ack(): void;
  /** Requeues the message. */
  requeue(): void;
  /** Rejects the message: the broker moves it to the dead-letter queue, if there is one. */
  reject(): void;
}

/**
 * Consumes a queue on a separate channel while the connection lives. It subscribes again after the loss of the
 * connection or channel, and after the broker cancels the consumer. `handle` must not reject.
 */
export function startSubscription(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  /** Name of the channel in logs and metrics. */
  readonly name: string;
  /** Maximum unacknowledged messages. */
  readonly prefetch: number;
  readonly noAck?: boolean;
  /** Ensures the queue exists and resolves to its name. Runs before each subscription. */
  readonly provide: (channel: Channel, topology: Topology) => Promise<string>;
  readonly handle: (delivery: Delivery) => Promise<void> | void;
  readonly onSubscribed?: () => void;
  readonly onLost?: () => void;
  /** Runs on stop, before the wait for handlers. */
  readonly onStopping?: () => void;
}): Consumer {
  const inFlight = new Set<Promise<void>>();
  const lostChannels = new WeakSet<Channel>();
  let acknowledger: Acknowledger | undefined;
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
      const acknowledging = options.noAck === true ? undefined : acknowledgeTogether(channel);
      acknowledger = acknowledging;
      const { consumerTag } = await channel.consume(
        queueName,
        (message) => {
          if (message === null) supervised.rebuild(new Error('the broker cancelled the consumer'));
          else begin(channel, message, acknowledging);
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

  function begin(channel: Channel, message: ConsumeMessage, acknowledging: Acknowledger | undefined): void {
    acknowledging?.add(message);
    const nack = (requeue: boolean) => {
      acknowledging?.forget(message);
      unlessClosed(() => channel.nack(message, false, requeue));
    };
    const handling = options.handle({
      message,
      channel,
      isLost: () => lostChannels.has(channel),
      ack: () => acknowledging?.ack(message),
      requeue: () => nack(true),
      reject: () => nack(false),
    });
    if (handling === undefined) return;
    const handled = handling
      // The state of the message is then unknown. A new channel gets it redelivered.
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
      // The channel is closed, and its consumer with it.
    }
  }

  return {
    isConsuming: () => subscription !== undefined && !isStopping,
    async stop() {
      isStopping = true;
      await cancel();
      options.onStopping?.();
      await Promise.all(inFlight);
      acknowledger?.flush();
      await supervised.close();
    },
  };
}
