import type { Transaction } from '../../database/database.js';
import { DURATION_BOUNDS_MS, DURATION_SLOTS } from './duration-histogram.js';

export interface CountedAttempt {
  readonly subscriptionId: string;
  /** A test of the owner, which is not counted. */
  readonly isTest: boolean;
  readonly startedAt: Date;
  readonly durationMs: number;
  readonly isDelivered: boolean;
  readonly isDeadLetter: boolean;
}

/** Maps each slot of a histogram; Postgres counts them from 1. */
function forEachSlot(sql: (slot: number) => string): string {
  return Array.from({ length: DURATION_SLOTS }, (_, index) => sql(index + 1)).join(', ');
}

const COUNT_ATTEMPTS = {
  name: 'count-attempts',
  text: `
  with attempt as (
    select subscription_id, date_bin('5 minutes', least(started_at, now()), 'epoch') as starts_at,
      width_bucket(duration_ms, $7::integer[]) + 1 as slot, is_delivered, is_dead_letter
    from unnest($1::text[], $2::timestamptz[], $3::integer[], $4::boolean[], $5::boolean[], $6::boolean[])
      as attempt (subscription_id, started_at, duration_ms, is_delivered, is_dead_letter, is_test)
    where not is_test
  )
  insert into delivery_statistics as known (subscription_id, starts_at, delivered, failed, dead_lettered, durations)
  select subscription_id, starts_at, count(*) filter (where is_delivered), count(*) filter (where not is_delivered),
    count(*) filter (where is_dead_letter), array[${forEachSlot((slot) => `count(*) filter (where slot = ${slot})`)}]
  from attempt
  group by subscription_id, starts_at
  order by subscription_id, starts_at
  on conflict (subscription_id, starts_at) do update set
    delivered = known.delivered + excluded.delivered,
    failed = known.failed + excluded.failed,
    dead_lettered = known.dead_lettered + excluded.dead_lettered,
    durations = array[${forEachSlot((slot) => `known.durations[${slot}] + excluded.durations[${slot}]`)}]`,
};

/**
 * Adds attempts to the statistics of their subscriptions in one statement.
 *
 * Each counts in the five minutes in which it began, so late results after an outage match the receiver's own log. An attempt
 * that began in the future, by a wrong dispatcher clock, counts as begun now.
 *
 * Call it once for each recorded attempt, as the last statement of the transaction that records it. Locks: the rows of the
 * statistics in ascending order, until the commit. Other transactions that record attempts to the same subscriptions wait for
 * it.
 */
export function countAttempts(tx: Pick<Transaction, 'query'>, attempts: readonly CountedAttempt[]): void {
  if (attempts.every(({ isTest }) => isTest)) return;
  void tx.query(COUNT_ATTEMPTS, [
    attempts.map(({ subscriptionId }) => subscriptionId),
    attempts.map(({ startedAt }) => startedAt),
    attempts.map(({ durationMs }) => durationMs),
    attempts.map(({ isDelivered }) => isDelivered),
    attempts.map(({ isDeadLetter }) => isDeadLetter),
    attempts.map(({ isTest }) => isTest),
    DURATION_BOUNDS_MS,
  ]);
}
