import { QUEUES } from '@partner/proto-contracts/topology';
import { goThroughDeadLetters } from '@partner/kernel/amqp/dead-letters';
import { inspectQueues } from '@partner/kernel/amqp/inspect-queues';
import type { Session } from './session.js';

/** A dead letter that contains a searched text. */
export interface LetterAbout {
  readonly queue: string;
  readonly messageId: string;
  readonly type: string;
}

/** Finds the dead letters of the broker that contain one of the texts, in any case of letters. They stay in their queues. */
export async function deadLettersAbout(
  { connection, publisher }: Pick<Session, 'connection' | 'publisher'>,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<readonly LetterAbout[]> {
  const searched = texts.map((text) => text.toLowerCase());
  const queues = QUEUES.flatMap((queue) =>
    queue.deadLetterQueue === undefined ? [] : [{ ...queue, deadLetterQueue: queue.deadLetterQueue }],
  );
  const counts = await inspectQueues(
    connection,
    queues.map(({ deadLetterQueue }) => deadLetterQueue),
  );
  const found: LetterAbout[] = [];
  for (const queue of queues) {
    const limit = counts.get(queue.deadLetterQueue)?.messages ?? 0;
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
