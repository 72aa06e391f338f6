import type { Logger } from '@partner/kernel/telemetry/logger';
import type { Database, Queryable } from '../database/database.js';
import { queryNamed } from '../database/query-named.js';
import type { PartitionDeletion, PartitionKey, RetentionSettings, RowDeletion } from '../database/table.js';
import { TABLES } from '../database/tables.js';
import { markFeedsPurged, purgeDefaultFeed } from './feed-retention.js';
import { archiveJobs } from './archive-jobs.js';
import {
  archiveTables,
  daysBefore,
  instantOfKey,
  partitionBound,
  type PartitionedTable,
  type RetainedTable,
  retainedTables,
} from './partitioned-table.js';
import {
  agreedNow,
  changePartitions,
  dropPartition,
  ensurePartitions,
  listPartitions,
  type Partition,
  RetentionBusyError,
} from './partitions.js';

/** Maximum number of rows that one statement deletes. */
const BATCH_SIZE = 5_000;
/** Jobs that one statement moves. Each has some ten entries of history, and none of it is in memory. */
const ARCHIVED_AT_ONCE = 300;
/** Batches of one table in one run. */
const MAX_BATCHES = 20;

interface RetentionDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly settings: RetentionSettings;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: {
    dropped(table: string): void;
    /** Rows were deleted, with their partition or in a batch. */
    purged(table: string, rows: number): void;
    /** Jobs moved to the archive. */
    archived(jobs: number): void;
    /** Number of partitions of a table that are past their retention and still needed. */
    kept(table: string, partitions: number): void;
  };
}

/**
 * Creates the partitions of the next weeks, drops those past their retention, moves closed jobs to the archive, and deletes other old
 * rows in batches.
 *
 * {@link TABLES} says which. A needed partition stays. A table that is locked does not block the others; the first failure is
 * thrown at the end. Throws {@link RetentionBusyError} while another process works. Returns `more` if rows are left for another run.
 */
export async function runRetention(deps: RetentionDeps, now: Date): Promise<'more' | 'idle'> {
  const failures: unknown[] = [];
  const outcomes: ('more' | 'idle')[] = [];
  const attempt = async (step: () => Promise<'more' | 'idle'>) => {
    try {
      outcomes.push(await step());
    } catch (error) {
      if (error instanceof RetentionBusyError) throw error;
      failures.push(error);
    }
  };
  for (const table of retainedTables()) {
    await attempt(() => keepTable(deps, table, now));
  }
  await attempt(() => keepArchive(deps, now));
  for (const { name, deleted } of TABLES) {
    if (typeof deleted === 'string' || !('rowsIf' in deleted) || 'partitionedBy' in deleted) continue;
    const { rowsIf, batchRows = BATCH_SIZE } = deleted;
    const before = daysBefore(now, daysOf(deleted, deps.settings));
    await attempt(() =>
      purge(deps, name, batchRows, () =>
        deleteRows(deps.database, name, { rowsIf, limit: batchRows, before }),
      ),
    );
  }
  if (failures.length > 0) throw failures[0];
  return outcomes.includes('more') ? 'more' : 'idle';
}

/** Creates the partitions of the next weeks and drops none. Throws the errors of {@link runRetention}. */
export async function makePartitionsAhead(
  database: RetentionDeps['database'],
  clock: () => Date,
): Promise<void> {
  const now = await agreedNow(database, clock);
  for (const table of [...retainedTables(), ...archiveTables()]) await ensurePartitions(database, table, now);
}

async function keepTable(deps: RetentionDeps, table: RetainedTable, now: Date): Promise<'more' | 'idle'> {
  const { database, logger, metrics } = deps;
  const { name, key, deleted } = table;
  const { unless, rowsIf } = deleted;
  const isFeed = name === 'feed_entries';
  await ensurePartitions(database, table, now);
  const before = daysBefore(now, daysOf(deleted, deps.settings));
  const old = (await listPartitions(database, table)).filter(({ to }) => to <= before);
  let kept = 0;
  for (const partition of old) {
    const outcome = await dropPartition(database, table, partition, {
      isNeeded: async (tx) => unless !== undefined && isNeeded(tx, { unless, key, partition, before }),
      before: isFeed ? markFeedsPurged : undefined,
    });
    const fields = { table: name, partition: partition.name };
    if (outcome === 'needed') {
      kept += 1;
      logger.info(fields, 'retention.partition_overdue');
    }
    if (outcome === 'dropped') {
      metrics.dropped(name);
      metrics.purged(name, partition.rows);
      logger.info(fields, 'retention.partition_dropped');
    }
  }
  metrics.kept(name, kept);
  const given = { limit: BATCH_SIZE, before, bound: partitionBound(key, before) };
  const deleteBatch = isFeed
    ? (tx: Queryable) => purgeDefaultFeed(tx, before, BATCH_SIZE)
    : rowsIf && ((tx: Queryable) => deleteRows(tx, `${name}_default`, { rowsIf, ...given }));
  if (!deleteBatch) return 'idle';
  return purge(deps, name, BATCH_SIZE, () => changePartitions(database, deleteBatch));
}

async function keepArchive(
  { database, settings, metrics }: RetentionDeps,
  now: Date,
): Promise<'more' | 'idle'> {
  for (const table of archiveTables()) await ensurePartitions(database, table, now);
  const closedBefore = daysBefore(now, settings.closedJobsDays);
  return inBatches(ARCHIVED_AT_ONCE, async () => {
    const archived = await changePartitions(database, (tx) =>
      archiveJobs(tx, { closedBefore, now, limit: ARCHIVED_AT_ONCE }),
    );
    metrics.archived(archived);
    return archived;
  });
}

async function isNeeded(
  tx: Queryable,
  {
    unless,
    key,
    partition: { name, from, to },
    before,
  }: { unless: string; key: PartitionKey; partition: Partition; before: Date },
): Promise<boolean> {
  const [row] = await queryNamed<{ holds: boolean }>(
    tx,
    `select ${unless.replaceAll('{partition}', name)} as holds`,
    { before, from: partitionBound(key, from), to: partitionBound(key, to) },
  );
  return row?.holds === true;
}

function daysOf({ afterDays }: PartitionDeletion | RowDeletion, settings: RetentionSettings): number {
  return typeof afterDays === 'number' ? afterDays : afterDays(settings);
}

/** Deletes batch after batch until one is not full. */
function purge(
  deps: RetentionDeps,
  table: string,
  batchSize: number,
  deleteBatch: () => Promise<number>,
): Promise<'more' | 'idle'> {
  return inBatches(batchSize, async () => {
    const deleted = await deleteBatch();
    deps.metrics.purged(table, deleted);
    return deleted;
  });
}

/** Works batch after batch until one is not full, or for as many as a run may have. */
async function inBatches(batchSize: number, work: () => Promise<number>): Promise<'more' | 'idle'> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    if ((await work()) < batchSize) return 'idle';
  }
  return 'more';
}

/** Deletes up to `limit` rows of a table, and returns their number. Rows are identified by `ctid`: not every condition finds a key. */
async function deleteRows(
  database: Queryable,
  table: string,
  {
    rowsIf,
    limit,
    ...given
  }: { readonly rowsIf: string; readonly limit: number } & Readonly<Record<string, unknown>>,
): Promise<number> {
  const [row] = await queryNamed<{ deleted: number }>(
    database,
    `with gone as (
       delete from ${table} where ctid = any (array(
         select t.ctid from ${table} t where ${rowsIf} limit ${limit} for update skip locked
       ))
       returning 1
     )
     select count(*)::integer as deleted from gone`,
    given,
  );
  return row?.deleted ?? 0;
}

/**
 * Age of the oldest data of a table in seconds: since the end of their partition, or since a default-partition row's own time.
 *
 * 0 if that has not passed yet.
 */
export async function oldestSeconds(
  database: Queryable,
  table: PartitionedTable,
  now: Date,
): Promise<number> {
  const { column } = table.key;
  const [[partition], [row]] = [
    await listPartitions(database, table),
    await database.query<{ oldest: string | Date | null }>(
      `select min(${column}) as oldest from ${table.name}_default`,
    ),
  ];
  const oldest = row?.oldest ?? undefined;
  const instant = typeof oldest === 'string' ? instantOfKey(table.key, oldest) : oldest;
  const ages = [partition?.to, instant].map((since) =>
    since === undefined ? 0 : (now.getTime() - since.getTime()) / 1_000,
  );
  return Math.max(0, ...ages);
}
