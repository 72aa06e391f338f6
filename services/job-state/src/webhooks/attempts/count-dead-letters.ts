import { isEventName, isNotification } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { Transaction } from '../../database/database.js';

const COUNT_DEAD_LETTERS = {
  name: 'count-dead-letters',
  text: `
  insert into unannounced_dead_letters as known (subscription_id, count, first_at, last_at, due_at)
  select subscription_id, count(*), now(), now(), now() + interval '1 minute'
  from unnest($1::text[]) as dead (subscription_id)
  group by subscription_id
  order by subscription_id
  on conflict (subscription_id) do update set
    count = known.count + excluded.count,
    first_at = case known.count when 0 then excluded.first_at else known.first_at end,
    last_at = excluded.last_at,
    due_at = case known.count when 0 then greatest(known.due_at, excluded.due_at) else known.due_at end`,
};

interface RecordedAttempt {
  readonly isDeadLetter: boolean;
  readonly delivery: { readonly subscriptionId: string; readonly event: string; readonly isTest: boolean };
}

/**
 * Counts dead letters of subscriptions until they are announced: a minute after the first, and an hour after the previous
 * announcement at the earliest.
 *
 * Those of tests and of notifications are not announced. Locks: the counts in ascending order of their subscriptions.
 */
export function countDeadLetters(tx: Pick<Transaction, 'query'>, attempts: readonly RecordedAttempt[]): void {
  const counted = attempts.filter(
    ({ isDeadLetter, delivery: { event, isTest } }) =>
      isDeadLetter && !isTest && !(isEventName(event) && isNotification(event)),
  );
  if (counted.length === 0) return;
  void tx.query(COUNT_DEAD_LETTERS, [counted.map(({ delivery }) => delivery.subscriptionId)]);
}
