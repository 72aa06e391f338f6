import { invariant } from '@partner/kernel/process/invariant';
import type { Database, Queryable, Transaction } from '../database/database.js';
import {
  DAY_MS,
  instantOfKey,
  partitionBound,
  partitionName,
  type PartitionedTable,
  partitionRanges,
  type TimeRange,
} from './partitioned-table.js';

/** One lock number for all partition work of a database: the holder works, the others skip it. */
const ADVISORY_LOCK = 4_207_313;
/**
 * Lock timeout of partition work, because every later statement on the table queues behind it.
 *
 * It is shorter than the server's `deadlock_timeout` of 1 s, so that a deadlock never cancels a writer.
 */
const LOCK_TIMEOUT_MS = 900;

/** How long before its time a partition is created. */
const MARGIN_DAYS = 28;
/** Maximum difference between the clocks of writers. */
const SKEW_DAYS = 1;

export interface Partition extends TimeRange {
  readonly name: string;
  /** Row count by the server's statistics; 0 without any. */
  readonly rows: number;
}

/** Another process works on the partitions. */
export class RetentionBusyError extends Error {
  override readonly name = 'RetentionBusyError';
}

/**
 * Works on partitions in one transaction with a lock timeout of 0.9 s per statement.
 *
 * Throws {@link RetentionBusyError} while another process does such work, and `LockTimeoutError` for a table that is in use for
 * too long. The next run retries either.
 *
 * Locks: first the advisory lock, then a table before its partitions, as every statement does.
 */
export function changePartitions<T>(
  database: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return database.transaction(
    async (tx) => {
      const [lock] = await tx.query<{ isOurs: boolean }>('select pg_try_advisory_xact_lock($1) as "isOurs"', [
        ADVISORY_LOCK,
      ]);
      if (lock?.isOurs !== true) throw new RetentionBusyError('another process keeps the partitions');
      return work(tx);
    },
    { lockTimeoutMs: LOCK_TIMEOUT_MS },
  );
}

/** The earlier of the times of this process and the server. */
export async function agreedNow(database: Queryable, clock: () => Date): Promise<Date> {
  const [row] = await database.query<{ now: Date }>(
    'select least($1::timestamptz, clock_timestamp()) as now',
    [clock()],
  );
  invariant(row, 'the server returns its time');
  return row.now;
}

/** The partitions of a table, oldest first, without the default one and without those whose bounds are not instants. */
export async function listPartitions(
  database: Queryable,
  table: PartitionedTable,
): Promise<readonly Partition[]> {
  const found = await database.query<{ name: string; rows: number; lower: string; upper: string }>(
    `select name, rows, coalesce(${bound('lower')}, '') as lower, coalesce(${bound('upper')}, '') as upper
     from (
       select child.relname as name, greatest(child.reltuples, 0)::float8 as rows,
         substring(pg_get_expr(child.relpartbound, child.oid) from 'FROM \\(''([^'']*)''\\)') as lower,
         substring(pg_get_expr(child.relpartbound, child.oid) from 'TO \\(''([^'']*)''\\)') as upper
       from pg_inherits join pg_class as child on child.oid = pg_inherits.inhrelid
       where pg_inherits.inhparent = $1::regclass
     ) as partition`,
    [table.name, table.key.kind],
  );
  return found
    .flatMap(({ name, rows, lower, upper }) => {
      const [from, to] = [instantOfKey(table.key, lower), instantOfKey(table.key, upper)];
      return from === undefined || to === undefined ? [] : [{ name, rows, from, to }];
    })
    .sort((a, b) => a.from.getTime() - b.from.getTime());
}

/** A bound as {@link instantOfKey} reads it: instants in ISO 8601, whatever the time zone of the session. */
function bound(column: 'lower' | 'upper'): string {
  return `case $2::text when 'id' then ${column}
    else to_char(${column}::timestamptz at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`;
}

/**
 * Creates the missing partitions of a table for now and the four weeks after the latest rows written now.
 *
 * Each is created in its own transaction: matching rows of the default partition move into it.
 *
 * Locks: the default partition, for the move of the last rows and one scan. Earlier rows move under row locks. The table stays
 * readable. It also stays writable, unless the partition is one that receives rows now: then writers wait, because a row that
 * has been routed to a partition cannot be routed again.
 */
export async function ensurePartitions(
  database: Pick<Database, 'transaction'>,
  table: PartitionedTable,
  now: Date,
): Promise<void> {
  const written = new Date(now.getTime() + (table.aheadDays + SKEW_DAYS) * DAY_MS);
  const last = new Date(now.getTime() + (table.aheadDays + MARGIN_DAYS) * DAY_MS);
  const wanted = partitionRanges(table, { from: now, to: last });
  const missing = await changePartitions(database, (tx) => missingOf(tx, table, wanted));
  for (const range of missing) {
    await changePartitions(database, async (tx) => {
      const [stillMissing] = await missingOf(tx, table, [range]);
      if (stillMissing !== undefined) await makePartition(tx, table, range, range.from <= written);
    });
  }
}

async function missingOf(
  tx: Transaction,
  table: PartitionedTable,
  wanted: readonly TimeRange[],
): Promise<readonly TimeRange[]> {
  const present = await listPartitions(tx, table);
  return wanted.filter((range) => !present.some(({ from, to }) => from < range.to && range.from < to));
}

/**
 * Names and bounds come from this directory, never from input: such statements take no parameters.
 *
 * DDL is a function of the schema, since this process's user may not own tables.
 */
async function makePartition(
  tx: Transaction,
  table: PartitionedTable,
  range: TimeRange,
  isWritten: boolean,
): Promise<void> {
  const name = partitionName(table, range);
  const { column } = table.key;
  const [from, to] = [partitionBound(table.key, range.from), partitionBound(table.key, range.to)];
  const moveRows = `
    with moved as (delete from ${table.name}_default where ${column} >= '${from}' and ${column} < '${to}' returning *)
    insert into ${name} select * from moved`;
  await tx.query('select create_partition($1, $2)', [table.name, name]);
  await tx.query(moveRows);
  if (isWritten) await tx.query(`lock table only ${table.name} in share row exclusive mode`);
  await tx.query(`lock table ${table.name}_default in access exclusive mode`);
  await tx.query(moveRows);
  await tx.query('select attach_partition($1, $2, $3, $4)', [table.name, name, from, to]);
}

/**
 * Drops a partition, after `before` in the same transaction, unless `isNeeded` says that it must stay.
 *
 * `isNeeded` runs before the lock, and again under the lock, when no transaction can change its result. Returns whether the
 * partition was dropped, is needed, or had been dropped already.
 *
 * Lock: the whole table, for as long as `isNeeded` and `before` take.
 */
export function dropPartition(
  database: Pick<Database, 'transaction'>,
  table: PartitionedTable,
  partition: Partition,
  rules: {
    readonly isNeeded?: ((tx: Queryable, partition: Partition) => Promise<boolean>) | undefined;
    readonly before?: ((tx: Queryable, partition: Partition) => Promise<void>) | undefined;
  },
): Promise<'dropped' | 'needed' | 'gone'> {
  return changePartitions(database, async (tx) => {
    const present = await listPartitions(tx, table);
    if (!present.some(({ name }) => name === partition.name)) return 'gone';
    if ((await rules.isNeeded?.(tx, partition)) === true) return 'needed';
    await tx.query(`lock table only ${table.name} in access exclusive mode`);
    if ((await rules.isNeeded?.(tx, partition)) === true) return 'needed';
    await rules.before?.(tx, partition);
    await tx.query('select drop_partition($1, $2)', [table.name, partition.name]);
    return 'dropped';
  });
}
