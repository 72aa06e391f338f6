import type { Channel, ConsumeMessage } from 'amqplib';
import { type Acknowledger, acknowledgeTogether, unlessClosed } from './acknowledge-together.js';
import type { AmqpConnection } from './connection.js';
import type { Topology } from './topology.js';
import { requestIdIn, runWithRequestId } from '../telemetry/request-context.js';
import { within } from '../process/within.js';

const CANCEL_LIMIT_MS = 3_000;

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
  /** Aborted when the channel is lost, whose messages the broker requeues, and on stop: work that pauses must give its message back. */
  readonly over: AbortSignal;
  ack(): void;
  requeue(): void;
  /** Rejects the message: the broker moves it to the dead-letter queue, if there is one. */
  reject(): void;
}

/**
 * Consumes a queue on a separate channel while the connection lives. It subscribes again after the loss of the
 * connection or channel, and after the broker cancels the consumer. `handle` must not reject. It runs
 * on behalf of the request that the message's `x-request-id` names.
 */
export function startSubscription(options: {
  readonly connection: Pick<AmqpConnection, 'openChannel'>;
  readonly name: string;
  readonly prefetch: number;
  readonly noAck?: boolean;
  /** Ensures the queue exists and resolves to its name. Runs before each subscription. */
  readonly provide: (channel: Channel, topology: Topology) => Promise<string>;
  readonly handle: (delivery: Delivery) => Promise<void> | void;
  readonly onSubscribed?: () => void;
}): Consumer {
  const inFlight = new Set<Promise<void>>();
  let acknowledger: Acknowledger | undefined;
  let subscription: { readonly channel: Channel; readonly consumerTag: string } | undefined;
  let latest = new AbortController();
  let isStopping = false;

  const supervised = options.connection.openChannel({
    name: options.name,
    confirm: false,
    async setup(channel, topology) {
      const controller = new AbortController();
      latest = controller;
      const queueName = await options.provide(channel, topology);
      await channel.prefetch(options.prefetch);
      if (isStopping) return;
      const acknowledging = options.noAck === true ? undefined : acknowledgeTogether(channel);
      acknowledger = acknowledging;
      const { consumerTag } = await channel.consume(
        queueName,
        (message) => {
          if (message === null) supervised.rebuild(new Error('the broker canceled the consumer'));
          else begin(channel, message, { acknowledging, over: controller.signal });
        },
        { noAck: options.noAck ?? false },
      );
      subscription = { channel, consumerTag };
      options.onSubscribed?.();
    },
    onLost() {
      latest.abort();
      subscription = undefined;
    },
  });

  function begin(
    channel: Channel,
    message: ConsumeMessage,
    { acknowledging, over }: { readonly acknowledging: Acknowledger | undefined; readonly over: AbortSignal },
  ): void {
    acknowledging?.add(message);
    const nack = (requeue: boolean) => {
      acknowledging?.forget(message);
      unlessClosed(() => channel.nack(message, false, requeue));
    };
    const delivery: Delivery = {
      ...{ message, channel, over },
      ack: () => acknowledging?.ack(message),
      requeue: () => nack(true),
      reject: () => nack(false),
    };
    const requestId = requestIdIn(message.properties.headers ?? {});
    const handling = runWithRequestId(requestId, () => options.handle(delivery));
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
      latest.abort();
      await Promise.all(inFlight);
      acknowledger?.flush();
      await supervised.close();
    },
  };
}
