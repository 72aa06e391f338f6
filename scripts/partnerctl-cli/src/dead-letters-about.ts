import { QUEUES, type QueueDefinition } from '@partner/proto-contracts/topology';
import { goThroughDeadLetters } from '@partner/kernel/amqp/dead-letters';
import { inspectQueues } from '@partner/kernel/amqp/inspect-queues';
import type { CommandContext } from './command-context.js';
import { columns, renderTable } from './output.js';
import type { Session } from './session.js';

export type QueueWithDead = QueueDefinition & { readonly deadLetterQueue: string };

export const QUEUES_WITH_DEAD: readonly QueueWithDead[] = QUEUES.flatMap((queue) =>
  queue.deadLetterQueue === undefined ? [] : [{ ...queue, deadLetterQueue: queue.deadLetterQueue }],
);

/** Counts the dead letters of each queue; undefined: its dead-letter queue is not declared. */
export async function countDeadLetters(connection: Session['connection']) {
  const names = QUEUES_WITH_DEAD.map(({ deadLetterQueue }) => deadLetterQueue);
  const found = await inspectQueues(connection, names);
  return new Map(QUEUES_WITH_DEAD.map((queue) => [queue, found.get(queue.deadLetterQueue)?.messages]));
}

/** A dead letter that contains a searched text. */
export type LetterAbout = { readonly queue: string; readonly messageId: string; readonly type: string };

/** Finds the dead letters of the broker that contain one of the texts, in any case of letters. They stay in their queues. */
export async function deadLettersAbout(
  { session, signal }: Pick<CommandContext, 'session' | 'signal'>,
  texts: readonly string[],
): Promise<readonly LetterAbout[]> {
  const { connection, publisher } = await session();
  const searched = texts.map((text) => text.toLowerCase());
  const counts = await countDeadLetters(connection);
  const found: LetterAbout[] = [];
  for (const queue of QUEUES_WITH_DEAD) {
    const limit = counts.get(queue) ?? 0;
    if (limit === 0) continue;
    await goThroughDeadLetters({ connection, publisher }, queue, {
      limit,
      signal,
      judge({ messageId, type, body }) {
        const text = Buffer.from(body).toString('utf8').toLowerCase();
        if (searched.some((each) => text.includes(each))) found.push({ queue: queue.name, messageId, type });
        return 'keep';
      },
    });
  }
  return found;
}

const LETTER_COLUMNS = columns('dead letter: messageId, queue, type');

export function renderLetters(letters: readonly LetterAbout[]): string {
  if (letters.length === 0) return '';
  const table = renderTable(letters, LETTER_COLUMNS);
  return `\n\n${table}\nAn erasure does not reach dead letters: partnerctl dead-letters discard <queue> <message> --yes`;
}
