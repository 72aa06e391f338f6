import { type Channel, type ConsumeMessage, IllegalOperationError } from 'amqplib';

export type Acknowledger = ReturnType<typeof acknowledgeTogether>;

/**
 * Sends one acknowledgement for the messages of one turn of the event loop: they cost the broker one operation. A message with an
 * earlier message still open is acknowledged separately.
 */
export function acknowledgeTogether(channel: Pick<Channel, 'ack'>) {
  const open = new Set<ConsumeMessage>();
  const acknowledged = new Set<ConsumeMessage>();

  function flush(): void {
    let last: ConsumeMessage | undefined;
    for (const message of open) {
      if (!acknowledged.delete(message)) break;
      open.delete(message);
      last = message;
    }
    const upTo = last;
    if (upTo !== undefined) unlessClosed(() => channel.ack(upTo, true));
    for (const message of acknowledged) {
      open.delete(message);
      unlessClosed(() => channel.ack(message));
    }
    acknowledged.clear();
  }

  return {
    /** Every message of the channel must be added, in order. */
    add: (message: ConsumeMessage) => void open.add(message),
    ack(message: ConsumeMessage): void {
      if (acknowledged.size === 0) process.nextTick(flush);
      acknowledged.add(message);
    },
    /** Drops a message that is settled in another way. */
    forget: (message: ConsumeMessage) => void open.delete(message),
    flush,
  };
}

/** Runs an operation on a channel. Ignores the error if the channel is closed. */
export function unlessClosed(operation: () => void): void {
  try {
    operation();
  } catch (error) {
    if (!(error instanceof IllegalOperationError)) throw error;
  }
}
