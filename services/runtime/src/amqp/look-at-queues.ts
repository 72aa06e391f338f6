import type { Channel } from 'amqplib';
import type { AmqpConnection } from './connection.js';

/** A queue as the broker tells of it. */
export interface QueueLook {
  readonly name: string;
  /** Messages that wait, without those that a consumer holds. */
  readonly messages: number;
  readonly consumers: number;
}

/**
 * Asks the broker for queues, and changes nothing. Gives undefined for one that is not declared; rejects when the connection
 * is lost.
 */
export async function lookAtQueues(
  connection: Pick<AmqpConnection, 'openChannel'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, QueueLook | undefined>> {
  const looks = new Map<string, QueueLook | undefined>();
  for (const name of names) {
    const found = await withChannel(connection, `look at ${name}`, (channel) =>
      channel.checkQueue(name),
    ).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    looks.set(name, found && { name, messages: found.messageCount, consumers: found.consumerCount });
  }
  return looks;
}

/** The broker's answer to a question for what it has not. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 404;
}

/**
 * Does work on a channel of its own, which is closed after it: what the work has got and not settled goes back to its queue.
 * Rejects with what the work throws, and when the channel is lost before its end; then what it has done is not undone.
 */
export async function withChannel<T>(
  connection: Pick<AmqpConnection, 'openChannel'>,
  name: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  let lose: (cause: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => undefined);
  let begin: (channel: Channel) => void = () => undefined;
  const opened = new Promise<Channel>((resolve) => {
    begin = resolve;
  });
  const supervised = connection.openChannel({
    name,
    confirm: false,
    setup: (channel) => {
      begin(channel);
      return Promise.resolve();
    },
    onLost: lose,
  });
  try {
    const channel = await Promise.race([opened, lost]);
    return await Promise.race([work(channel), lost]);
  } finally {
    await supervised.close();
  }
}
