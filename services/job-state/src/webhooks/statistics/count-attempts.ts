import type { Transaction } from '../../database/database.js';
import { column, columnArrays, unnestColumns } from '../../database/columns.js';
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

/** What an attempt changes in the counts of the deliveries that were created when its own was. */
export interface CountedDelivery {
  readonly subscriptionId: string;
  /** A test of the owner, which is not counted. */
  readonly isTest: boolean;
  readonly createdAt: Date;
  /** In the order of {@link DELIVERY_COUNTS}. */
  readonly counts: readonly number[];
}

/**
 * The counts of `deliveries` in order: with an attempt, delivered by the first one, delivered, dead-lettered. Each with what stands
 * for it in a row of an earlier version, which only counted attempts.
 */
export const DELIVERY_COUNTS = [
  'delivered + dead_lettered',
  'null::integer',
  'delivered',
  'dead_lettered',
] as const;

const COUNTED = {
  subscriptionId: column<string>('subscription_id', 'text'),
  at: column<Date>('at', 'timestamptz'),
  durationMs: column<number>('duration_ms', 'integer'),
  isDelivered: column<boolean>('is_delivered', 'boolean'),
  isDeadLetter: column<boolean>('is_dead_letter', 'boolean'),
  ...Object.fromEntries(DELIVERY_COUNTS.map((_, n) => [`count${n}`, column<number>(`count${n}`, 'integer')])),
} as const;

/** Maps each slot of a histogram; Postgres counts them from 1. */
function forEachSlot(sql: (slot: number) => string): string {
  return Array.from({ length: DURATION_SLOTS }, (_, index) => sql(index + 1)).join(', ');
}

export const STATISTICS_COLUMNS =
  'subscription_id, starts_at, delivered, failed, dead_lettered, durations, deliveries';

/** The end of an insert of counts that adds them to those of the row that there is. */
export const ADD_TO_KNOWN = `on conflict (subscription_id, starts_at) do update set
    delivered = known.delivered + excluded.delivered,
    failed = known.failed + excluded.failed,
    dead_lettered = known.dead_lettered + excluded.dead_lettered,
    durations = array[${forEachSlot((slot) => `known.durations[${slot}] + excluded.durations[${slot}]`)}],
    deliveries = array[${DELIVERY_COUNTS.map(
      (before, n) =>
        `coalesce(known.deliveries[${n + 1}], ${before.replace(/\b(delivered|dead_lettered)/g, 'known.$&')}) + excluded.deliveries[${n + 1}]`,
    ).join(', ')}]`;

/** The sums of rows, in the order of {@link STATISTICS_COLUMNS}. */
export const ADDED_COUNTS = `sum(delivered), sum(failed), sum(dead_lettered),
      array[${forEachSlot((slot) => `sum(durations[${slot}])`)}],
      array[${DELIVERY_COUNTS.map((_, n) => `sum(deliveries[${n + 1}])`).join(', ')}]`;

/**
 * Rows are of ten seconds, of which `foldStatistics` makes five minutes. While an old snapshot is held, a writer reads all versions of a
 * row, dead or not: so they are few. What is old counts in five minutes at once, so no transaction waits for a row that is folded.
 */
const COUNT_ATTEMPTS = {
  name: 'count-attempts',
  text: `
  with counted as (
    select *, date_bin(
        case when at < now() - interval '1 hour' then interval '5 minutes' else interval '10 seconds' end, least(at, now()), 'epoch'
      ) as starts_at, width_bucket(duration_ms, $1::integer[]) + 1 as slot
    from ${unnestColumns(COUNTED, 'counted', 2)}
  )
  insert into delivery_statistics as known (${STATISTICS_COLUMNS})
  select subscription_id, starts_at, count(*) filter (where is_delivered), count(*) filter (where not is_delivered),
    count(*) filter (where is_dead_letter), array[${forEachSlot((slot) => `count(*) filter (where slot = ${slot})`)}],
    array[${DELIVERY_COUNTS.map((_, n) => `coalesce(sum(count${n}), 0)`).join(', ')}]
  from counted
  group by subscription_id, starts_at
  order by subscription_id, starts_at
  ${ADD_TO_KNOWN}`,
};

/**
 * Adds attempts, and what they change of deliveries, to the statistics of their subscriptions in one statement.
 *
 * Each counts at the time at which it began, so late results after an outage match the receiver's own log. An attempt
 * that began in the future, by a wrong dispatcher clock, counts as begun now. A delivery counts when it was created.
 *
 * Call it once for each recorded attempt, as the last statement of the transaction that records it. Locks: the rows of the
 * statistics in ascending order, until the commit. Other transactions that record attempts to the same subscriptions wait for
 * it.
 */
export function countAttempts(
  tx: Pick<Transaction, 'query'>,
  attempts: readonly CountedAttempt[],
  deliveries: readonly CountedDelivery[] = [],
): void {
  const counted = [
    ...attempts.map((attempt) => ({ ...attempt, at: attempt.startedAt })),
    ...deliveries.map(({ counts, ...delivery }) => ({
      ...{ ...delivery, at: delivery.createdAt },
      ...Object.fromEntries(counts.map((count, n) => [`count${n}`, count])),
    })),
  ].filter(({ isTest }) => !isTest);
  if (counted.length === 0) return;
  void tx.query(COUNT_ATTEMPTS, [DURATION_BOUNDS_MS, ...columnArrays(COUNTED, counted)]);
}
