import type { Channel } from 'amqplib';
import type { AmqpConnection } from './connection.js';
import { within } from '../process/within.js';

export interface QueueInspection {
  readonly name: string;
  /** Ready messages, without unacknowledged ones. */
  readonly messages: number;
  readonly consumers: number;
}

/**
 * Queries the state of queues without changing them. Returns undefined for a queue that is not declared. Rejects if the
 * connection is lost or the signal is aborted.
 */
export async function inspectQueues(
  connection: Pick<AmqpConnection, 'openChannel'>,
  names: readonly string[],
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, QueueInspection | undefined>> {
  const inspections = new Map<string, QueueInspection | undefined>();
  for (const name of names) {
    const inspect = (channel: Channel) => channel.checkQueue(name);
    const found = await withChannel(connection, `inspect ${name}`, inspect, signal).catch(
      (error: unknown) => {
        if (replyCodeOf(error) === 404) return undefined;
        throw error;
      },
    );
    inspections.set(name, found && { name, messages: found.messageCount, consumers: found.consumerCount });
  }
  return inspections;
}

/** A channel was closed by the broker or with its connection, or could not be opened. */
export class ChannelLostError extends Error {
  override readonly name = 'ChannelLostError';
}

/** AMQP 0-9-1 has the reply codes 200 and 311 to 541. */
const LOWEST_REPLY_CODE = 300;

/** Time limit for opening a channel: if the connection is lost meanwhile, it never opens. */
const OPEN_MS = 15_000;

/**
 * Returns the reply code with which the broker closed a channel, e.g. 404 for a missing queue; undefined for any other
 * error.
 */
export function replyCodeOf(error: unknown): number | undefined {
  const cause = error instanceof ChannelLostError ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // Error codes of the operating system are small numbers.
  return typeof code === 'number' && code >= LOWEST_REPLY_CODE ? code : undefined;
}

/**
 * Runs work on a separate channel and closes it afterwards. Messages that the work has not settled are requeued.
 * Rejects with the work's error. Rejects with {@link ChannelLostError} if the channel is lost or the signal is aborted before
 * the work ends, or if the channel is not open within 15 s; the work's effects are not undone.
 */
export async function withChannel<T>(
  connection: Pick<AmqpConnection, 'openChannel'>,
  name: string,
  work: (channel: Channel) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  signal?.throwIfAborted();
  let lose: (cause: Error) => void = () => undefined;
  const lost = new Promise<never>((_resolve, reject) => {
    lose = reject;
  });
  lost.catch(() => undefined);
  let begin: (channel: Channel) => void = () => undefined;
  const opened = new Promise<Channel>((resolve) => {
    begin = resolve;
  });
  const onLost = (cause: Error) => lose(new ChannelLostError(`the channel to ${name} was lost`, { cause }));
  const onAbort = () => onLost(new Error('the work was stopped'));
  signal?.addEventListener('abort', onAbort);
  const supervised = connection.openChannel({
    name,
    confirm: false,
    isOptional: true,
    setup: async (channel) => begin(channel),
    onLost,
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
    signal?.removeEventListener('abort', onAbort);
    await supervised.close();
  }
}
