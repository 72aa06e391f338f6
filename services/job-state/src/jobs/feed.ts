import { ServiceError } from '@partner/kernel/process/service-error';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import { bytesBefore, PAGE_BYTES, pageWithinBytes } from '../rpc/page-within-bytes.js';
import { refuseLostCursor } from '../restore/restore.js';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';

export interface FeedEntry {
  readonly companyId: string;
  readonly jobId: string;
  readonly changedAt: Date;
  /** The projection as of the change, as JSON text; null: the job has left the company. */
  readonly resource: string | null;
}

/** A feed entry as it is read. The sequence is a decimal text, since it may exceed 2^53. */
interface SequencedEntry {
  readonly sequence: string;
  readonly changedAt: Date;
  readonly resource: string;
}

/** A job that has left the company, at its place in the feed. */
interface UnassignedJob {
  readonly sequence: string;
  readonly jobId: string;
  readonly unassignedAt: Date;
}

const APPEND_ENTRIES: PreparedStatement = {
  name: 'append-feed-entries',
  shared: 'last',
  text: `with entry as materialized (
       select *, row_number() over (partition by company_id order by call) as number
       from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) with ordinality
         as entry (company_id, job_id, changed_at, resource, call)
     ), head as (
       insert into feed_heads as head (company_id, last)
       select company_id, count(*) from entry group by company_id order by company_id
       on conflict (company_id) do update set last = head.last + excluded.last
       returning company_id, last
     ), numbered as materialized (
       select company_id, head.last - max(number) over (partition by company_id) + number as sequence, job_id, changed_at, resource
       from entry join head using (company_id)
     ), unassigned as (
       insert into unassigned_jobs (company_id, job_id, sequence, unassigned_at)
       select company_id, job_id, sequence, changed_at from numbered where resource is null
       on conflict (company_id, job_id) do update set sequence = excluded.sequence, unassigned_at = excluded.unassigned_at
     )
     insert into feed_entries (company_id, sequence, job_id, changed_at, resource)
     select company_id, sequence, job_id, changed_at, resource from numbered where resource is not null`,
};

/**
 * Appends an entry to the feed of its company, right before the commit, together with all others of the transaction.
 *
 * Each company's head is locked until the commit, so that sequences follow the order of commits, without gaps; the company's
 * other writers wait. Heads are locked in ascending order of company, so that two transactions cannot deadlock.
 */
export function appendFeedEntry(tx: Queryable, { companyId, jobId, changedAt, resource }: FeedEntry): void {
  void tx.query(APPEND_ENTRIES, [companyId, jobId, changedAt, resource]);
}

/**
 * Removes a job's entries from the feed of a company that the job has left, and appends that it has left (decision FEED-10).
 *
 * The sequences of the removed entries are never reused. So every entry of the job that a reader finds is later than its leaving.
 */
export function leaveFeed(tx: Queryable, job: Pick<FeedEntry, 'companyId' | 'jobId' | 'changedAt'>): void {
  void tx.query('delete from feed_entries where company_id = $1 and job_id = $2', [job.companyId, job.jobId]);
  appendFeedEntry(tx, { ...job, resource: null });
}

/** Selects the changes of company `$1` that fulfil a condition, at most `limit`, by `order` of their sequence. */
type Changes = (condition: string, order: 'sequence' | 'sequence desc', limit: string) => string;

const ENTRIES: Changes = (condition, order, limit) => `
  select sequence, changed_at, null as job_id, resource from feed_entries
  where company_id = $1 and ${condition} order by ${order} limit ${limit}`;

const ENTRIES_AND_UNASSIGNED: Changes = (condition, order, limit) => `
  select * from (
    (${ENTRIES(condition, order, limit)})
    union all (
      select sequence, unassigned_at, job_id, '' from unassigned_jobs
      where company_id = $1 and ${condition} order by ${order} limit ${limit}
    )
  ) as both_kinds order by ${order} limit ${limit}`;

const newest = (name: string, changes: Changes): PreparedStatement => ({
  name,
  text: `select sequence, changed_at, job_id, resource from (
       select *, ${bytesBefore('resource', 'sequence desc')} as bytes_before from (${changes(
         'sequence > coalesce((select purged_through from feed_heads where company_id = $1), 0)',
         'sequence desc',
         '$2',
       )}) as change
     ) as entry
     where bytes_before <= ${PAGE_BYTES}
     order by sequence desc`,
});

const after = (name: string, changes: Changes): PreparedStatement => ({
  name,
  text: `select head.purged_through > $2 and $2 > 0 as is_purged, head.is_lost, entry.sequence, entry.changed_at, entry.job_id,
       entry.resource
     from (
       select coalesce(max(purged_through), 0) as purged_through, coalesce(bool_or(lost_numbers @> $2::bigint), false) as is_lost
       from feed_heads where company_id = $1
     ) as head
     left join lateral (
       select *, ${bytesBefore('resource', 'sequence')} as bytes_before from (${changes(
         'sequence > greatest($2::bigint, head.purged_through)',
         'sequence',
         '$3',
       )}) as change
     ) as entry on entry.bytes_before <= ${PAGE_BYTES}
     order by entry.sequence`,
});

const STATEMENTS = {
  entries: { newest: newest('newest-feed-entries', ENTRIES), after: after('feed-entries-after', ENTRIES) },
  all: {
    newest: newest('newest-feed-changes', ENTRIES_AND_UNASSIGNED),
    after: after('feed-changes-after', ENTRIES_AND_UNASSIGNED),
  },
};

/**
 * Reads a page of a company's feed in ascending order (spec: Installer v1, rules 1 and 2).
 *
 * It returns the entries after a sequence; after `0`, from the oldest one kept. Without a sequence it returns the newest
 * entries. With `includeUnassigned` the jobs that have left the company count as entries and are returned separately. A page of
 * large entries ends early, see {@link pageWithinBytes}.
 *
 * Entries are dropped by age. A sequence before the newest dropped one fails with `cursor_invalid`, since a page after it would
 * hide a gap; one that a restore has lost does too. One statement reads the mark and the entries from one snapshot: an entry that is dropped meanwhile is either
 * still in the page or already refused. Sequences and instants may differ in order, so entries before the mark are skipped.
 * `keptDays` only appears in the error message.
 */
export async function readFeed(
  database: Queryable,
  page: {
    readonly companyId: string;
    readonly afterSequence: string | undefined;
    readonly limit: number;
    /** Absent: false. */
    readonly includeUnassigned?: boolean;
  },
  keptDays: number = STANDARD_RETENTION.feedDays,
): Promise<FeedPage> {
  const statements = page.includeUnassigned === true ? STATEMENTS.all : STATEMENTS.entries;
  if (page.afterSequence === undefined) {
    const rows = await database.query<FeedRow>(statements.newest, [page.companyId, page.limit]);
    return feedPage(pageWithinBytes(rows, page.limit, resourceOf).page.toReversed(), false);
  }
  const rows = await database.query<MarkedRow>(statements.after, [
    page.companyId,
    page.afterSequence,
    page.limit + 1,
  ]);
  if (rows[0]?.is_lost === true) {
    const lost = { companyId: page.companyId, sequence: page.afterSequence };
    return refuseLostCursor(database, 'feed_heads', lost, 'begin again with view=snapshot');
  }
  if (rows[0]?.is_purged === true) throw cursorTooOld(keptDays);
  const found = rows.filter((row): row is MarkedRow & FeedRow => row.sequence !== null);
  const { page: changes, hasMore } = pageWithinBytes(found, page.limit, resourceOf);
  return feedPage(changes, hasMore);
}

function cursorTooOld(keptDays: number): ServiceError {
  const message = `is too old: the feed is kept for ${keptDays} days; begin again with view=snapshot`;
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}

/** A page of the feed, each list in ascending order. */
interface FeedPage {
  readonly entries: readonly SequencedEntry[];
  readonly unassigned: readonly UnassignedJob[];
  readonly hasMore: boolean;
}

interface FeedRow {
  readonly sequence: string;
  readonly changed_at: Date;
  /** Null: an entry. Otherwise the job has left. */
  readonly job_id: string | null;
  readonly resource: string;
}

/** A row with the purge mark; its other fields are null if nothing follows the cursor. */
interface MarkedRow extends Omit<FeedRow, 'sequence'> {
  readonly is_purged: boolean;
  readonly is_lost: boolean;
  readonly sequence: string | null;
}

const resourceOf = ({ resource }: FeedRow): string => resource;

function feedPage(rows: readonly FeedRow[], hasMore: boolean): FeedPage {
  return {
    entries: rows.flatMap(({ sequence, changed_at: changedAt, job_id, resource }) =>
      job_id === null ? [{ sequence, changedAt, resource }] : [],
    ),
    unassigned: rows.flatMap(({ sequence, changed_at: unassignedAt, job_id: jobId }) =>
      jobId === null ? [] : [{ sequence, jobId, unassignedAt }],
    ),
    hasMore,
  };
}
