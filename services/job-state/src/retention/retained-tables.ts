import { AUDIT_RETENTION_DAYS } from '@partner/proto-contracts/resources/audit-entry/audit-entry';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { eventDays } from '@partner/proto-contracts/api/retention';
import type { Queryable } from '../database/database.js';
import { DAY_MS, partitionBound, type PartitionedTable, type PartitionKey } from './partitioned-table.js';
import type { Partition } from './partitions.js';

/** Minimum retention of data that partners can read, in days. */
export interface RetentionSettings {
  /** Finished deliveries, all attempts, and their statistics. */
  readonly deliveriesDays: number;
  /** Feed entries. */
  readonly feedDays: number;
}

/** The clocks of replicas may differ, and a transaction may write rows of an earlier time. */
const SKEW_DAYS = 1;

/** A table whose partitions are dropped after their retention. */
export interface RetainedTable extends PartitionedTable {
  /** Days from the end of a partition until it is dropped. */
  readonly keptDays: number;
  /** Whether a partition past its retention must stay. */
  readonly isNeeded?: (tx: Queryable, partition: Partition, before: Date) => Promise<boolean>;
  /** Runs in the transaction that drops a partition. */
  readonly beforeDrop?: (tx: Queryable, partition: Partition) => Promise<void>;
  /**
   * Deletes up to `limit` rows of the default partition whose time ended at `before` or earlier, and returns their number.
   *
   * Without it such rows stay.
   */
  readonly purgeDefault?: (tx: Queryable, before: Date, limit: number) => Promise<number>;
}

const EVENT_KEY = { kind: 'id', column: 'id', prefix: 'evt' } as const satisfies PartitionKey;
const DELIVERY_KEY = { kind: 'id', column: 'id', prefix: 'dlv' } as const satisfies PartitionKey;
const AUDIT_KEY = { kind: 'id', column: 'id', prefix: 'aud' } as const satisfies PartitionKey;
const ATTEMPT_KEY = { ...DELIVERY_KEY, column: 'delivery_id' } as const satisfies PartitionKey;

/**
 * The tables and their retention.
 *
 * A referenced table comes after its referrers: events stay at least as long as any of their deliveries, finished or not.
 */
export function retainedTables(settings: RetentionSettings): readonly RetainedTable[] {
  return [...tablesOfRequests(settings), ...tablesOfDeliveries(settings)];
}

function tablesOfRequests({ feedDays }: RetentionSettings): readonly RetainedTable[] {
  return [
    {
      name: 'idempotency_keys',
      key: { kind: 'instant', column: 'expires_at' },
      // A lookup reads each partition; with seven of them it costs a third less than with twelve.
      widthDays: 15,
      aheadDays: LIMITS.idempotencyRetentionDays,
      keptDays: SKEW_DAYS,
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(tx, 'idempotency_keys', 'expires_at <= $2', limit, [before]),
    },
    {
      name: 'outbox',
      key: { kind: 'instant', column: 'created_at' },
      widthDays: 7,
      aheadDays: 0,
      keptDays: SKEW_DAYS,
      // An unconfirmed message is never dropped.
      isNeeded: (tx, { name }) => isTrue(tx, `select exists (select from ${name}) as holds`, []),
    },
    {
      name: 'feed_entries',
      key: { kind: 'instant', column: 'changed_at' },
      widthDays: 30,
      aheadDays: 0,
      keptDays: feedDays,
      beforeDrop: markFeedsPurged,
      purgeDefault: purgeDefaultFeed,
    },
    {
      name: 'audit_entries',
      key: AUDIT_KEY,
      widthDays: 30,
      aheadDays: 0,
      keptDays: AUDIT_RETENTION_DAYS,
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(tx, 'audit_entries', 'id < $2', limit, [partitionBound(AUDIT_KEY, before)]),
    },
  ];
}

function tablesOfDeliveries({ deliveriesDays }: RetentionSettings): readonly RetainedTable[] {
  return [
    {
      name: 'finished_deliveries',
      key: DELIVERY_KEY,
      widthDays: 7,
      aheadDays: 0,
      keptDays: deliveriesDays,
      // For a delivery that was held for long the end counts, not the start.
      isNeeded: (tx, { name }, before) =>
        isTrue(tx, `select exists (select from ${name} where finished_at >= $1) as holds`, [before]),
      // A delivery that waited longer than the retention arrives here when it finishes, and is kept from then on.
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(tx, 'finished_deliveries', 'id < $3 and finished_at < $2', limit, [
          before,
          partitionBound(DELIVERY_KEY, before),
        ]),
    },
    {
      name: 'delivery_attempts',
      key: ATTEMPT_KEY,
      widthDays: 7,
      aheadDays: 0,
      keptDays: deliveriesDays,
      isNeeded: (tx, { name }, before) =>
        isTrue(tx, `select exists (select from ${name} where recorded_at >= $1) as holds`, [before]),
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(tx, 'delivery_attempts', 'delivery_id < $3 and recorded_at < $2', limit, [
          before,
          partitionBound(ATTEMPT_KEY, before),
        ]),
    },
    {
      name: 'delivery_statistics',
      key: { kind: 'instant', column: 'starts_at' },
      widthDays: 7,
      aheadDays: 0,
      keptDays: deliveriesDays,
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(tx, 'delivery_statistics', 'starts_at < $2', limit, [before]),
    },
    {
      name: 'events',
      key: EVENT_KEY,
      widthDays: 7,
      aheadDays: 0,
      keptDays: eventDays(deliveriesDays),
      isNeeded: isReferredTo,
      purgeDefault: (tx, before, limit) =>
        deleteFromDefault(
          tx,
          'events',
          `id < $3 and created_at < $2
           and (select true from deliveries where event_id = events_default.id limit 1) is null
           and (select true from finished_deliveries where event_id = events_default.id limit 1) is null`,
          limit,
          [before, partitionBound(EVENT_KEY, before)],
        ),
    },
  ];
}

/** Rows of the default partition are identified by `ctid`: no other index finds rows past their retention. */
async function deleteFromDefault(
  tx: Queryable,
  table: string,
  condition: string,
  limit: number,
  values: readonly unknown[],
): Promise<number> {
  const [row] = await tx.query<{ deleted: number }>(
    `with gone as (
       delete from ${table}_default
       where ctid = any (array(select ctid from ${table}_default where ${condition} limit $1))
       returning 1
     )
     select count(*)::integer as deleted from gone`,
    [limit, ...values],
  );
  return row?.deleted ?? 0;
}

async function isTrue(tx: Queryable, text: string, values: readonly unknown[]): Promise<boolean> {
  const [row] = await tx.query<{ holds: boolean }>(text, values);
  return row?.holds === true;
}

/** Whether a partition's events have deliveries: a waiting one needs the body, a finished one shows it. */
function isReferredTo(tx: Queryable, { from, to }: Partition): Promise<boolean> {
  return isTrue(
    tx,
    `select exists (select from deliveries where event_id >= $1 and event_id < $2)
       or exists (select from finished_deliveries where event_id >= $1 and event_id < $2) as holds`,
    [partitionBound(EVENT_KEY, from), partitionBound(EVENT_KEY, to)],
  );
}

/** Records for each company up to where its feed is purged. Under the lock of the table no other transaction holds a head. */
async function markFeedsPurged(tx: Queryable, { name }: Partition): Promise<void> {
  await tx.query(
    `update feed_heads as head set purged_through = newest.sequence
     from (
       select company_id, (
         select sequence from ${name} as entry where entry.company_id = feed_heads.company_id
         order by sequence desc limit 1
       ) as sequence
       from feed_heads
     ) as newest
     where newest.company_id = head.company_id and newest.sequence > head.purged_through`,
  );
}

/** Locks: entries, then heads in ascending order of company, as a transaction that withdraws and appends entries does. */
async function purgeDefaultFeed(tx: Queryable, before: Date, limit: number): Promise<number> {
  const old = await tx.query<{ place: string; company_id: string }>(
    `select ctid::text as place, company_id from feed_entries_default
     where changed_at < $1 limit $2 for update skip locked`,
    [before, limit],
  );
  if (old.length === 0) return 0;
  await tx.query(
    'select 1 from feed_heads where company_id = any($1::text[]) order by company_id for no key update',
    [[...new Set(old.map(({ company_id }) => company_id))]],
  );
  const [row] = await tx.query<{ deleted: number }>(
    `with gone as (
       delete from feed_entries_default where ctid = any ($1::text[]::tid[]) and changed_at < $2
       returning company_id, sequence
     ), marked as (
       update feed_heads as head set purged_through = greatest(head.purged_through, newest.sequence)
       from (select company_id, max(sequence) as sequence from gone group by company_id) as newest
       where newest.company_id = head.company_id
     )
     select count(*)::integer as deleted from gone`,
    [old.map(({ place }) => place), before],
  );
  return row?.deleted ?? 0;
}

/** The instant `days` before another one. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(now.getTime() - days * DAY_MS);
}
