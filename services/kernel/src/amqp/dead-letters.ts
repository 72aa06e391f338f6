import { setTimeout as delay } from 'node:timers/promises';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Channel, GetMessage } from 'amqplib';
import type { AmqpConnection } from './connection.js';
import { DEAD_REASON, DIED_AT } from './death-headers.js';
import { withChannel } from './look-at-queues.js';
import { textHeaders, textOf } from './message-text.js';
import type { Publisher } from './publisher.js';
import { unlessClosed } from './subscription.js';

/** The default exchange: the routing key names the queue. */
const DEFAULT_EXCHANGE = { name: '', type: 'direct' } as const;

const SHOWN_MS = 2_000;
const SHOWN_PAUSE_MS = 20;

/** Headers that tell of a message's death; none of them is of use after it. */
const DEATH_HEADERS = new Set<string>([
  DEAD_REASON,
  DIED_AT,
  'x-first-death-exchange',
  'x-first-death-queue',
  'x-first-death-reason',
  'x-last-death-exchange',
  'x-last-death-queue',
  'x-last-death-reason',
]);

/** A message that nobody has handled. */
export interface DeadLetter {
  /** Empty when the sender has given none. */
  readonly messageId: string;
  /** Full name of the protobuf message; empty when the sender has given none. */
  readonly type: string;
  readonly body: Uint8Array;
  /** Those that are text. */
  readonly headers: Readonly<Record<string, string>>;
  /** Why: the consumer's words, else the broker's, e.g. `delivery_limit`. */
  readonly reason: string;
  /** When; undefined when nobody has noted it, as consumers of earlier versions did not. */
  readonly diedAt: Date | undefined;
}

/** What is to become of a dead letter. */
export type DeadLetterVerdict = 'keep' | 'requeue' | 'discard';

/** What became of the dead letters that were looked at. */
export interface DeadLetterOutcome {
  readonly kept: number;
  readonly requeued: number;
  readonly discarded: number;
}

/**
 * Goes through the dead letters of a queue, up to `limit` and no more than there are at the beginning, and does with each what
 * `judge` says. They come oldest first, but those that were put back before may come in another order. `requeue` puts it back into the queue that gave it up, with its message id and without the marks
 * of its death; it is taken out once the broker has confirmed the copy, so that a crash in between doubles it and loses
 * nothing. `discard` drops it for good. All that is kept goes back when this ends, however it ends. Rejects when the
 * connection is lost or a copy is not confirmed; what was done before is done.
 *
 * While it runs, nobody else sees what it holds.
 */
export async function goThroughDeadLetters(
  deps: {
    readonly connection: Pick<AmqpConnection, 'openChannel'>;
    readonly publisher: Pick<Publisher, 'publish'>;
  },
  queue: QueueDefinition & { readonly deadLetterQueue: string },
  options: {
    readonly limit: number;
    readonly judge: (letter: DeadLetter) => DeadLetterVerdict | Promise<DeadLetterVerdict>;
    /** Has it take no further one; those count as kept. */
    readonly signal?: AbortSignal;
  },
): Promise<DeadLetterOutcome> {
  return withChannel(deps.connection, `dead letters of ${queue.name}`, async (channel) => {
    const counts = { requeued: 0, discarded: 0 };
    const kept: GetMessage[] = [];
    let untouched = 0;
    const { messageCount } = await channel.checkQueue(queue.deadLetterQueue);
    const wanted = Math.min(messageCount, options.limit);
    for (let seen = 0; seen < wanted; seen += 1) {
      if (options.signal?.aborted === true) {
        untouched = wanted - seen;
        break;
      }
      const message = await channel.get(queue.deadLetterQueue, { noAck: false });
      if (message === false) break;
      const letter = deadLetter(message);
      const verdict = await options.judge(letter);
      switch (verdict) {
        case 'keep':
          kept.push(message);
          break;
        case 'requeue':
          await deps.publisher.publish({
            exchange: DEFAULT_EXCHANGE,
            routingKey: queue.name,
            messageId: letter.messageId,
            type: letter.type,
            body: letter.body,
            headers: Object.fromEntries(
              Object.entries(letter.headers).filter(([name]) => !DEATH_HEADERS.has(name)),
            ),
          });
          unlessClosed(() => channel.ack(message));
          counts.requeued += 1;
          break;
        case 'discard':
          unlessClosed(() => channel.ack(message));
          counts.discarded += 1;
          break;
      }
    }
    // One by one, in their order: the close of the channel would turn it around.
    for (const message of kept) unlessClosed(() => channel.nack(message, false, true));
    await untilShown(channel, queue.deadLetterQueue, messageCount - counts.requeued - counts.discarded);
    return { ...counts, kept: kept.length + untouched };
  });
}

/**
 * Waits until the broker has the messages that were put back: it does so a little later, and whoever looks next would miss
 * them. Answered behind the acknowledgements, so they have reached the broker, too. Somebody else may take messages meanwhile;
 * so it ends after 2 s in any case.
 */
async function untilShown(channel: Channel, queue: string, atLeast: number): Promise<void> {
  const deadline = performance.now() + SHOWN_MS;
  while ((await channel.checkQueue(queue)).messageCount < atLeast && performance.now() < deadline) {
    await delay(SHOWN_PAUSE_MS);
  }
}

function deadLetter({ content, properties }: GetMessage): DeadLetter {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const texts = textHeaders(headers);
  const death = firstDeath(headers['x-death']);
  return {
    messageId: textOf(properties.messageId),
    type: textOf(properties.type),
    body: content,
    headers: texts,
    reason: texts[DEAD_REASON] ?? death?.reason ?? 'unknown',
    diedAt: instantIn(texts[DIED_AT]) ?? death?.at,
  };
}

function instantIn(text: string | undefined): Date | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** The newest entry of the broker's list. */
function firstDeath(deaths: unknown): { readonly reason: string; readonly at: Date | undefined } | undefined {
  const death: unknown = Array.isArray(deaths) ? deaths[0] : undefined;
  if (typeof death !== 'object' || death === null) return undefined;
  const time: unknown = 'time' in death ? death.time : undefined;
  const seconds = typeof time === 'object' && time !== null && 'value' in time ? time.value : undefined;
  return {
    reason: 'reason' in death && typeof death.reason === 'string' ? death.reason : 'unknown',
    at: typeof seconds === 'number' ? new Date(seconds * 1_000) : undefined,
  };
}
