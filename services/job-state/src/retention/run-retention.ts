import type { Logger } from '@partner/kernel/logger';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';
import type { Database, Queryable } from '../database/database.js';
import { instantOfKey, type PartitionedTable } from './partitioned-table.js';
import {
  agreedNow,
  changePartitions,
  dropPartition,
  ensurePartitions,
  listPartitions,
  RetentionBusyError,
} from './partitions.js';
import { daysBefore, type RetainedTable, type RetentionSettings, retainedTables } from './retained-tables.js';

/** Maximum number of rows that one statement deletes. */
const BATCH_SIZE = 5_000;
/** Batches of one table in one run. */
const MAX_BATCHES = 20;
const SUBSCRIPTION_BATCH_SIZE = 500;
/** Longer than the platform repeats a message. */
const INBOX_DAYS = 90;
/** How late a change of accounting links may arrive (decision PLATFORM-18). */
const JOURNAL_ENTRIES_DAYS = 30;
/** Longer than any statement that saw a subscription before it was deleted. */
const DELETED_SUBSCRIPTION_DAYS = 1;
/** Longer than an outage of the mail server; older notifications are no news. */
const NOTIFICATION_EMAILS_DAYS = 7;

/** Security notices are repeated for as long; equal ones are merged within an hour of the last email, which is much shorter. */
const SECURITY_NOTICES_DAYS = 30;
const MAILED_NOTICES_DAYS = 1;

/** Dependencies of a run. */
interface RetentionDeps {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly settings: RetentionSettings;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly metrics: {
    /** A partition was dropped. */
    dropped(table: string): void;
    /** Rows were deleted, with their partition or in a batch. */
    purged(table: string, rows: number): void;
    /** Number of partitions of a table that are past their retention and still needed. */
    kept(table: string, partitions: number): void;
  };
}

/**
 * Creates the partitions of the next weeks, drops those past their retention, and deletes other old rows in batches.
 *
 * A needed partition stays. The batches delete rows of default partitions, message ids of the platform after 90 days,
 * journal entries after 30 days, notifications that were not mailed within 7 days, security notices a day after their email or 30 days after their occasion, bulk replays and back-fills that finished before the retention of deliveries, and deleted subscriptions without deliveries. A
 * table that is locked does not block the others; the first failure is thrown at the end. Throws {@link RetentionBusyError}
 * while another process works. Returns `more` if rows are left for another run.
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
  for (const table of retainedTables(deps.settings)) {
    await attempt(() => keepTable(deps, table, now));
  }
  await attempt(() => purge(deps, 'inbox', BATCH_SIZE, () => deleteOldMessages(deps.database, now)));
  await attempt(() => purge(deps, 'journal_entries', BATCH_SIZE, () => deleteOldEntries(deps.database, now)));
  await attempt(() =>
    purge(deps, 'notification_emails', BATCH_SIZE, () => deleteOldEmails(deps.database, now)),
  );
  await attempt(() =>
    purge(deps, 'security_notices', BATCH_SIZE, () => deleteOldNotices(deps.database, now)),
  );
  const replaysBefore = daysBefore(now, deps.settings.deliveriesDays);
  await attempt(() =>
    purge(deps, 'bulk_replays', BATCH_SIZE, () => deleteOldBulkReplays(deps.database, replaysBefore)),
  );
  await attempt(() =>
    purge(deps, 'subscriptions', SUBSCRIPTION_BATCH_SIZE, () => deleteOldSubscriptions(deps.database, now)),
  );
  if (failures.length > 0) throw failures[0];
  return outcomes.includes('more') ? 'more' : 'idle';
}

/** Creates the partitions of the next weeks and drops none. Throws the errors of {@link runRetention}. */
export async function makePartitionsAhead(
  database: RetentionDeps['database'],
  clock: () => Date,
): Promise<void> {
  const now = await agreedNow(database, clock);
  for (const table of retainedTables(STANDARD_RETENTION)) await ensurePartitions(database, table, now);
}

async function keepTable(deps: RetentionDeps, table: RetainedTable, now: Date): Promise<'more' | 'idle'> {
  const { database, logger, metrics } = deps;
  await ensurePartitions(database, table, now);
  const before = daysBefore(now, table.keptDays);
  const old = (await listPartitions(database, table)).filter(({ to }) => to <= before);
  let kept = 0;
  for (const partition of old) {
    const outcome = await dropPartition(database, table, partition, {
      isNeeded: async (tx, old) => (await table.isNeeded?.(tx, old, before)) === true,
      before: table.beforeDrop,
    });
    const fields = { table: table.name, partition: partition.name };
    if (outcome === 'needed') {
      kept += 1;
      logger.info(fields, 'retention.partition_overdue');
    }
    if (outcome === 'dropped') {
      metrics.dropped(table.name);
      metrics.purged(table.name, partition.rows);
      logger.info(fields, 'retention.partition_dropped');
    }
  }
  metrics.kept(table.name, kept);
  const { purgeDefault } = table;
  if (purgeDefault === undefined) return 'idle';
  return purge(deps, table.name, BATCH_SIZE, () =>
    changePartitions(database, (tx) => purgeDefault(tx, before, BATCH_SIZE)),
  );
}

/** Deletes batch after batch until one is not full. */
async function purge(
  deps: RetentionDeps,
  table: string,
  batchSize: number,
  deleteBatch: () => Promise<number>,
): Promise<'more' | 'idle'> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const deleted = await deleteBatch();
    deps.metrics.purged(table, deleted);
    if (deleted < batchSize) return 'idle';
  }
  return 'more';
}

async function deleteOldMessages(database: Queryable, now: Date): Promise<number> {
  const deleted = await database.query(
    `delete from inbox where message_id in
       (select message_id from inbox where received_at < $1 order by received_at limit $2)
     returning message_id`,
    [daysBefore(now, INBOX_DAYS), BATCH_SIZE],
  );
  return deleted.length;
}

async function deleteOldEntries(database: Queryable, now: Date): Promise<number> {
  const deleted = await database.query(
    `delete from journal_entries where id in
       (select id from journal_entries where recorded_at < $1 order by recorded_at limit $2)
     returning id`,
    [daysBefore(now, JOURNAL_ENTRIES_DAYS), BATCH_SIZE],
  );
  return deleted.length;
}

async function deleteOldEmails(database: Queryable, now: Date): Promise<number> {
  const deleted = await database.query(
    `delete from notification_emails where (membership_id, event_id) in
       (select membership_id, event_id from notification_emails where created_at < $1 limit $2 for update skip locked)
     returning event_id`,
    [daysBefore(now, NOTIFICATION_EMAILS_DAYS), BATCH_SIZE],
  );
  return deleted.length;
}

async function deleteOldNotices(database: Queryable, now: Date): Promise<number> {
  const deleted = await database.query(
    `delete from security_notices where (company_id, kind, subject_id, email) in
       (select company_id, kind, subject_id, email from security_notices
        where last_at < $1 or count = 0 and mailed_at < $2 limit $3 for update skip locked)
     returning email`,
    [daysBefore(now, SECURITY_NOTICES_DAYS), daysBefore(now, MAILED_NOTICES_DAYS), BATCH_SIZE],
  );
  return deleted.length;
}

async function deleteOldBulkReplays(database: Queryable, before: Date): Promise<number> {
  const deleted = await database.query(
    `delete from bulk_replays where id in
       (select id from bulk_replays where finished_at < $1 order by id limit $2 for update skip locked)
     returning id`,
    [before, BATCH_SIZE],
  );
  return deleted.length;
}

/** A deleted subscription is kept as long as its deliveries. */
async function deleteOldSubscriptions(database: Queryable, now: Date): Promise<number> {
  const deleted = await database.query(
    `delete from subscriptions where id in (
       select id from subscriptions as old
       where deleted_at < $1
         and (select true from deliveries where subscription_id = old.id limit 1) is null
         and (select true from finished_deliveries where subscription_id = old.id limit 1) is null
       order by id limit $2 for update skip locked
     )
     returning id`,
    [daysBefore(now, DELETED_SUBSCRIPTION_DAYS), SUBSCRIPTION_BATCH_SIZE],
  );
  return deleted.length;
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
