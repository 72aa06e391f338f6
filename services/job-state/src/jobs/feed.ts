import { ServiceError } from '@partner/kernel/service-error';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable, Transaction } from '../database/database.js';
import { bytesBefore, PAGE_BYTES, pageWithinBytes } from '../rpc/page-within-bytes.js';
import { refuseLostCursor } from '../restore/refuse-lost-cursor.js';
import { STANDARD_RETENTION } from '@partner/proto-contracts/api/retention';

/** One change of one job in one installer company's feed. */
export interface FeedEntry {
  readonly companyId: string;
  readonly jobId: string;
  readonly changedAt: Date;
  /** The projection as of the change, as JSON text. */
  readonly resource: string;
}

/** A feed entry as it is read. The sequence is a decimal text, since it may exceed 2^53. */
export interface SequencedEntry {
  readonly sequence: string;
  readonly changedAt: Date;
  readonly resource: string;
}

const APPEND_ENTRIES: PreparedStatement = {
  name: 'append-feed-entries',
  text: `with entry as materialized (
       select *, row_number() over (partition by company_id order by call) as number
       from unnest($1::text[], $2::text[], $3::timestamptz[], $4::text[]) with ordinality
         as entry (company_id, job_id, changed_at, resource, call)
     ), head as (
       insert into feed_heads as head (company_id, last)
       select company_id, count(*) from entry group by company_id order by company_id
       on conflict (company_id) do update set last = head.last + excluded.last
       returning company_id, last
     )
     insert into feed_entries (company_id, sequence, job_id, changed_at, resource)
     select company_id, head.last - max(number) over (partition by company_id) + number, job_id, changed_at, resource
     from entry join head using (company_id)`,
};

/**
 * Appends an entry to the feed of its company, right before the commit, together with all others of the transaction.
 *
 * Each company's head is locked until the commit, so that sequences follow the order of commits, without gaps; the company's
 * other writers wait. Heads are locked in ascending order of company, so that two transactions cannot deadlock.
 */
export function appendFeedEntry(
  tx: Pick<Transaction, 'queryLast'>,
  { companyId, jobId, changedAt, resource }: FeedEntry,
): void {
  void tx.queryLast(APPEND_ENTRIES, [companyId, jobId, changedAt, resource]);
}

/** Removes a job's entries from the feed of a company that the job has left. Their sequences are never reused. */
export function withdrawFeedEntries(tx: Pick<Transaction, 'send'>, companyId: string, jobId: string): void {
  tx.send('delete from feed_entries where company_id = $1 and job_id = $2', [companyId, jobId]);
}

const NEWEST_ENTRIES: PreparedStatement = {
  name: 'newest-feed-entries',
  text: `select sequence, changed_at, resource from (
       select sequence, changed_at, resource, ${bytesBefore('resource', 'sequence desc')} as bytes_before from feed_entries
       where company_id = $1
         and sequence > coalesce((select purged_through from feed_heads where company_id = $1), 0)
       order by sequence desc limit $2
     ) as entry
     where bytes_before <= ${PAGE_BYTES}
     order by sequence desc`,
};

const ENTRIES_AFTER: PreparedStatement = {
  name: 'feed-entries-after',
  text: `select head.purged_through > $2 and $2 > 0 as is_purged, head.is_lost, entry.sequence, entry.changed_at, entry.resource
     from (
       select coalesce(max(purged_through), 0) as purged_through, coalesce(bool_or(lost_numbers @> $2::bigint), false) as is_lost
       from feed_heads where company_id = $1
     ) as head
     left join lateral (
       select sequence, changed_at, resource, ${bytesBefore('resource', 'sequence')} as bytes_before from feed_entries
       where company_id = $1 and sequence > greatest($2::bigint, head.purged_through)
       order by sequence limit $3
     ) as entry on entry.bytes_before <= ${PAGE_BYTES}
     order by entry.sequence`,
};

/**
 * Reads a page of a company's feed in ascending order (spec: Installer v1, rules 1 and 2).
 *
 * It returns the entries after a sequence; after `0`, from the oldest one kept. Without a sequence it returns the newest
 * entries. A page of large entries ends early, see {@link pageWithinBytes}.
 *
 * Entries are dropped by age. A sequence before the newest dropped one fails with `cursor_invalid`, since a page after it would
 * hide a gap; one that a restore has lost does too. One statement reads the mark and the entries from one snapshot: an entry that is dropped meanwhile is either
 * still in the page or already refused. Sequences and instants may differ in order, so entries before the mark are skipped.
 * `keptDays` only appears in the error message.
 */
export async function readFeed(
  database: Queryable,
  page: { readonly companyId: string; readonly afterSequence: string | undefined; readonly limit: number },
  keptDays: number = STANDARD_RETENTION.feedDays,
): Promise<{ readonly entries: readonly SequencedEntry[]; readonly hasMore: boolean }> {
  if (page.afterSequence === undefined) {
    const newest = await database.query<FeedRow>(NEWEST_ENTRIES, [page.companyId, page.limit]);
    const { page: shown } = pageWithinBytes(newest, page.limit, resourceOf);
    return { entries: shown.toReversed().map(sequencedEntry), hasMore: false };
  }
  const rows = await database.query<MarkedRow>(ENTRIES_AFTER, [
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
  const { page: entries, hasMore } = pageWithinBytes(found, page.limit, resourceOf);
  return { entries: entries.map(sequencedEntry), hasMore };
}

function cursorTooOld(keptDays: number): ServiceError {
  const message = `is too old: the feed is kept for ${keptDays} days; begin again with view=snapshot`;
  return new ServiceError('cursor_invalid', `cursor: ${message}`, { details: [{ path: 'cursor', message }] });
}

interface FeedRow {
  readonly sequence: string;
  readonly changed_at: Date;
  readonly resource: string;
}

/** A row with the purge mark; its entry fields are null if no entry follows the cursor. */
interface MarkedRow {
  readonly is_purged: boolean;
  readonly is_lost: boolean;
  readonly sequence: string | null;
  readonly changed_at: Date;
  readonly resource: string;
}

const resourceOf = ({ resource }: FeedRow): string => resource;

function sequencedEntry(row: FeedRow): SequencedEntry {
  return { sequence: row.sequence, changedAt: row.changed_at, resource: row.resource };
}
