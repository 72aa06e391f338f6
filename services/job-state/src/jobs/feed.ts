import type { Queryable } from '../database/database.js';

/** One change of one job in one installer company's feed. */
export interface FeedEntry {
  readonly companyId: string;
  readonly jobId: string;
  readonly changedAt: Date;
  /** The projection as of the change, as JSON text. */
  readonly resource: string;
}

/** A feed entry as it is read: the sequence is a decimal text, since it may pass 2^53. */
export interface SequencedEntry {
  readonly sequence: string;
  readonly changedAt: Date;
  readonly resource: string;
}

/**
 * Appends entries to the feeds of their companies. Must be the last statements of a transaction: each locks its company's
 * head until the commit, which makes the order of sequences the order of commits, without gaps, and makes the company's
 * other writers wait. Heads are locked in ascending order of company, so that two transactions can not block each other.
 */
export async function appendFeedEntries(tx: Queryable, entries: readonly FeedEntry[]): Promise<void> {
  const ascending = [...entries].sort((a, b) =>
    a.companyId < b.companyId ? -1 : a.companyId > b.companyId ? 1 : 0,
  );
  for (const entry of ascending) {
    await tx.query(
      `with head as (
         insert into feed_heads as head (company_id, last) values ($1, 1)
         on conflict (company_id) do update set last = head.last + 1
         returning last
       )
       insert into feed_entries (company_id, sequence, job_id, changed_at, resource)
       select $1, last, $2, $3, $4 from head`,
      [entry.companyId, entry.jobId, entry.changedAt, entry.resource],
    );
  }
}

/** Takes a job's entries out of the feed of a company that the job has left. Their numbers are not used again. */
export async function withdrawFeedEntries(tx: Queryable, companyId: string, jobId: string): Promise<void> {
  await tx.query('delete from feed_entries where company_id = $1 and job_id = $2', [companyId, jobId]);
}

/**
 * Reads a page of a company's feed in ascending order (spec: Installer v1, rules 1 and 2): the entries after a sequence, or
 * without one the newest entries, of which nothing newer follows.
 */
export async function readFeed(
  database: Queryable,
  page: { readonly companyId: string; readonly afterSequence: string | undefined; readonly limit: number },
): Promise<{ readonly entries: readonly SequencedEntry[]; readonly hasMore: boolean }> {
  if (page.afterSequence === undefined) {
    const newest = await database.query<FeedRow>(
      `select sequence, changed_at, resource from feed_entries where company_id = $1 order by sequence desc limit $2`,
      [page.companyId, page.limit],
    );
    return { entries: newest.reverse().map(sequencedEntry), hasMore: false };
  }
  const rows = await database.query<FeedRow>(
    `select sequence, changed_at, resource from feed_entries
     where company_id = $1 and sequence > $2 order by sequence limit $3`,
    [page.companyId, page.afterSequence, page.limit + 1],
  );
  return { entries: rows.slice(0, page.limit).map(sequencedEntry), hasMore: rows.length > page.limit };
}

interface FeedRow {
  readonly sequence: string;
  readonly changed_at: Date;
  readonly resource: string;
}

function sequencedEntry(row: FeedRow): SequencedEntry {
  return { sequence: row.sequence, changedAt: row.changed_at, resource: row.resource };
}
