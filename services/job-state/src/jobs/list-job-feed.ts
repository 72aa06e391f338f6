import type { jobFeedQuery } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { implement } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import type { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import { type Database, type Queryable, queryWithin } from '../database/database.js';
import { bytesBefore, PAGE_BYTES, pageWithinBytes } from '../rpc/page-within-bytes.js';
import { readFeed } from './feed.js';

/**
 * Renders a page of a company's change feed, or of a snapshot of its jobs (spec: Installer v1, rules 1 and 2). The stored
 * projections are embedded as text.
 *
 * A position in the feed is a sequence; one in a snapshot is the sequence of its start, a colon and the last job. Every entry of a
 * snapshot carries that sequence, and its last position continues in the feed. Later pages may already show newer changes: the feed
 * repeats those, and contains all changes after earlier pages, so no change is missed. Without a next position the reader stays
 * where it is.
 */
export const listJobFeed = (deps: {
  readonly database: Pick<Database, 'query'>;
  readonly feedDays: number;
}) =>
  implement(listJobFeedOperation, async ({ companyId, query, after, timeoutMs }) => {
    const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
    const [sequence, afterJobId] = after?.split(':', 2) ?? [];
    const isSnapshot = sequence === undefined ? query.view === 'snapshot' : afterJobId !== undefined;
    if (isSnapshot) return snapshotPage(database, companyId, query, { sequence, afterJobId });
    const includeUnassigned = query.include === 'unassigned';
    const afterSequence = sequence ?? (query.from === 'start' ? '0' : undefined);
    const read = { companyId, limit: query.limit, afterSequence, includeUnassigned };
    const { entries, unassigned, hasMore } = await readFeed(database, read, deps.feedDays);
    const next = laterOf(entries.at(-1)?.sequence, unassigned.at(-1)?.sequence);
    const left = unassigned.map(
      ({ sequence: at, jobId, unassignedAt }) =>
        `{"sequence":${at},"jobId":${JSON.stringify(jobId)},"unassignedAt":"${formatDateTime(unassignedAt)}"}`,
    );
    return {
      json: pageJson(
        entries.map((entry) => entryJson(entry.sequence, entry)),
        includeUnassigned ? left : undefined,
      ),
      ...(next !== undefined && { next }),
      hasMore,
    };
  });

async function snapshotPage(
  database: Queryable,
  companyId: string,
  { limit, include }: z.infer<typeof jobFeedQuery>,
  place: { readonly sequence: string | undefined; readonly afterJobId: string | undefined },
): Promise<OperationReply> {
  const read = { companyId, limit, afterJobId: place.afterJobId };
  const { jobs, hasMore, feedSequence } = await listAssignedJobs(database, read);
  const sequence = place.sequence ?? feedSequence;
  const last = jobs.at(-1);
  const next = hasMore && last !== undefined ? `${sequence}:${last.jobId}` : sequence;
  const entries = jobs.map((job) => entryJson(sequence, job));
  return {
    json: pageJson(entries, include === 'unassigned' ? [] : undefined),
    // At sequence 0 the company has never had an entry.
    ...(next !== '0' && { next }),
    hasMore,
  };
}

function pageJson(entries: readonly string[], unassigned: readonly string[] | undefined): string {
  const left = unassigned === undefined ? '' : `,"unassigned":[${unassigned.join(',')}]`;
  return `{"resources":[${entries.join(',')}]${left}}`;
}

function entryJson(
  sequence: string,
  { changedAt, resource }: { readonly changedAt: Date; readonly resource: string },
): string {
  return `{"sequence":${sequence},"changedAt":"${formatDateTime(changedAt)}","resource":${resource}}`;
}

/** The later of two sequences, which are decimal texts. */
function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return BigInt(one) > BigInt(other) ? one : other;
}

interface AssignedJob {
  readonly jobId: string;
  readonly changedAt: Date;
  /** The projection as JSON text. */
  readonly resource: string;
}

// One range of jobs_installer_company_id_idx. With `installer_company_id = $1` Postgres may scan the primary key instead, through
// the jobs of all companies.
const LIST_JOBS: PreparedStatement = {
  name: 'list-assigned-jobs',
  text: `select job.id, job.updated_at, job.projection, head.last as feed_sequence
     from (select coalesce((select last from feed_heads where company_id = $1), 0) as last) as head
     left join lateral (
       select id, updated_at, projection, ${bytesBefore('projection', 'installer_company_id, id')} as bytes_before from jobs
       where (installer_company_id, id) > ($1, $2) and installer_company_id <= $1
       order by installer_company_id, id limit $3
     ) as job on job.bytes_before <= ${PAGE_BYTES}
     order by job.id`,
};

/**
 * Reads a page of the company's current jobs by ascending id, and the newest sequence of its feed (0: no entry).
 *
 * One statement reads both from one snapshot: every change that the page does not show has a higher sequence. A
 * page of large jobs ends early, see {@link pageWithinBytes}.
 */
export async function listAssignedJobs(
  database: Queryable,
  page: { readonly companyId: string; readonly afterJobId: string | undefined; readonly limit: number },
): Promise<{
  readonly jobs: readonly AssignedJob[];
  readonly hasMore: boolean;
  readonly feedSequence: string;
}> {
  const rows = await database.query<{
    id: string | null;
    updated_at: Date;
    projection: string;
    feed_sequence: string;
  }>(LIST_JOBS, [page.companyId, page.afterJobId ?? '', page.limit + 1]);
  const found = rows.flatMap(({ id, updated_at, projection }) =>
    id === null ? [] : [{ jobId: id, changedAt: updated_at, resource: projection }],
  );
  const { page: jobs, hasMore } = pageWithinBytes(found, page.limit, ({ resource }) => resource);
  return { jobs, hasMore, feedSequence: rows[0]?.feed_sequence ?? '0' };
}
