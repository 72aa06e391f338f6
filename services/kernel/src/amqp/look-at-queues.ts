import type { Channel } from 'amqplib';
import type { AmqpConnection } from './connection.js';
import { within } from './within.js';

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
      if (replyCodeOf(error) === 404) return undefined;
      throw error;
    });
    looks.set(name, found && { name, messages: found.messageCount, consumers: found.consumerCount });
  }
  return looks;
}

/** A channel was closed by the broker or with its connection, or could not be opened; the cause says why. */
export class ChannelLostError extends Error {
  override readonly name = 'ChannelLostError';
}

/** AMQP 0-9-1 has reply codes from 311 to 541, and 200. */
const LOWEST_REPLY_CODE = 300;

/** For how long a channel may take to be there: with the connection lost meanwhile it never comes. */
const OPEN_MS = 15_000;

/** The reply code with which the broker has closed a channel, e.g. 404 for what it has not; undefined for anything else. */
export function replyCodeOf(error: unknown): number | undefined {
  const cause = error instanceof ChannelLostError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // Errors of the platform have small numbers.
  return typeof code === 'number' && code >= LOWEST_REPLY_CODE ? code : undefined;
}

/**
 * Does work on a channel of its own, which is closed after it: what the work has got and not settled goes back to its queue.
 * Rejects with what the work throws, and with {@link ChannelLostError} when the channel is lost before its end or is not there
 * within 15 s; what the work has done is not undone then.
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
    onLost: (cause) => lose(new ChannelLostError(`the channel to ${name} was lost`, { cause })),
  });
  try {
    const channel = await within(OPEN_MS, 'opening a channel', Promise.race([opened, lost])).catch(
      (cause: unknown) => {
        if (cause instanceof ChannelLostError) throw cause;
        throw new ChannelLostError(`the channel to ${name} could not be opened`, { cause });
      },
    );
    return await Promise.race([work(channel), lost]);
  } finally {
    await supervised.close();
  }
}
