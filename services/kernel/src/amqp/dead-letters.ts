import { setTimeout as delay } from 'node:timers/promises';
import type { QueueDefinition } from '@partner/proto-contracts/topology';
import type { Channel, GetMessage } from 'amqplib';
import { z } from 'zod';
import type { AmqpConnection } from './connection.js';
import { DEAD_REASON, DIED_AT } from './death-headers.js';
import { withChannel } from './inspect-queues.js';
import { textHeaders, textOf } from './message-text.js';
import type { OutgoingMessage, Publisher } from './publisher.js';
import { unlessClosed } from './acknowledge-together.js';

/** The default exchange: the routing key names the queue. */
const DEFAULT_EXCHANGE = { name: '', type: 'direct' } as const;

const SHOWN_MS = 2_000;
const SHOWN_PAUSE_MS = 20;

/** Headers that describe a dead-lettering. They are removed when the message is requeued. */
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

export interface DeadLetter {
  /** Empty if the sender set none. */
  readonly messageId: string;
  /** Full name of the protobuf message; empty if the sender set none. */
  readonly type: string;
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** The consumer's reason, else the broker's, e.g. `delivery_limit`. */
  readonly reason: string;
  /** Time of dead-lettering; undefined if unknown, as from consumers of earlier versions. */
  readonly diedAt: Date | undefined;
}

export type DeadLetterVerdict = 'keep' | 'requeue' | 'discard';

export interface DeadLetterOutcome {
  readonly kept: number;
  readonly requeued: number;
  readonly discarded: number;
}

/**
 * Processes the dead letters of a queue as `judge` decides, up to `limit` and up to the number present at the start.
 * They come oldest first, but requeued ones may come in another order.
 *
 * `requeue` publishes a copy to the original queue, with the message id and without the death headers. The original is
 * acknowledged after the broker has confirmed the copy, so a crash in between duplicates the message and never loses
 * it. `discard` deletes it. Kept messages return to the queue at the end, also after an error. Rejects if the
 * connection is lost or a copy is not confirmed; earlier results stay in effect.
 *
 * Messages held by this call are invisible to others.
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
    /** After an abort, no further message is processed. The rest count as kept. */
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
            ...wayTo(queue, letter),
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
    // One at a time, to keep their order: closing the channel would reverse it.
    for (const message of kept) unlessClosed(() => channel.nack(message, false, true));
    await untilShown(channel, queue.deadLetterQueue, messageCount - counts.requeued - counts.discarded);
    return { ...counts, kept: kept.length + untouched };
  });
}

/** Where a copy for the queue is published. Publishers to topic exchanges use the type as the routing key. */
function wayTo(
  queue: QueueDefinition,
  { type }: DeadLetter,
): Pick<OutgoingMessage, 'exchange' | 'routingKey'> {
  const [binding] = queue.onlyFromBindings === true ? queue.bindings : [];
  return binding === undefined
    ? { exchange: DEFAULT_EXCHANGE, routingKey: queue.name }
    : { exchange: binding.exchange, routingKey: type };
}

/**
 * Waits until the requeued messages are visible again, which takes the broker a moment. The query is behind the
 * acknowledgements on the channel, so they have reached the broker too. Ends after 2 s in any case, because another
 * consumer may take messages in the meantime.
 */
async function untilShown(channel: Channel, queue: string, atLeast: number): Promise<void> {
  const deadline = performance.now() + SHOWN_MS;
  while ((await channel.checkQueue(queue)).messageCount < atLeast && performance.now() < deadline) {
    await delay(SHOWN_PAUSE_MS);
  }
}

/** The broker's list, the newest first. */
const deaths = z
  .array(z.object({ reason: z.string().optional(), time: z.object({ value: z.number() }).optional() }))
  .catch([]);

function deadLetter({ content, properties }: GetMessage): DeadLetter {
  const headers: Readonly<Record<string, unknown>> = properties.headers ?? {};
  const texts = textHeaders(headers);
  const [death] = deaths.parse(headers['x-death']);
  const seconds = death?.time?.value;
  return {
    messageId: textOf(properties.messageId),
    type: textOf(properties.type),
    body: content,
    headers: texts,
    reason: texts[DEAD_REASON] ?? death?.reason ?? 'unknown',
    diedAt: instantIn(texts[DIED_AT]) ?? (seconds === undefined ? undefined : new Date(seconds * 1_000)),
  };
}

function instantIn(text: string | undefined): Date | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}
