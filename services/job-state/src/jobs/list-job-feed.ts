import type { jobFeedQuery } from '@partner/proto-contracts/resources/feed-entry/feed-entry';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import type { z } from 'zod';
import type { Queryable } from '../database/database.js';
import { readFeed } from './feed.js';
import { listAssignedJobs } from './list-assigned-jobs.js';

type Query = z.infer<typeof jobFeedQuery>;

/**
 * Renders a page of a company's change feed, or of a snapshot of its jobs (spec: Installer v1, rules 1 and 2). The stored
 * projections are embedded as text.
 *
 * A position in the feed is a sequence; one in a snapshot is the sequence of its start, a colon and the last job. Every entry of a
 * snapshot carries that sequence, and its last position continues in the feed. Later pages may already show newer changes: the feed
 * repeats those, and contains all changes after earlier pages, so no change is missed. Without a next position the reader stays
 * where it is.
 */
export async function listJobFeed(
  database: Queryable,
  page: Pick<Query, 'limit' | 'from' | 'view' | 'include'> & {
    readonly companyId: string;
    readonly after: string | undefined;
  },
  feedDays: number,
): Promise<OperationReply> {
  const [sequence, afterJobId] = page.after?.split(':', 2) ?? [];
  const isSnapshot = sequence === undefined ? page.view === 'snapshot' : afterJobId !== undefined;
  if (isSnapshot) return snapshotPage(database, page, { sequence, afterJobId });
  const { companyId, limit, from, include } = page;
  const includeUnassigned = include === 'unassigned';
  const afterSequence = sequence ?? (from === 'start' ? '0' : undefined);
  const read = { companyId, limit, afterSequence, includeUnassigned };
  const { entries, unassigned, hasMore } = await readFeed(database, read, feedDays);
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
}

async function snapshotPage(
  database: Queryable,
  { companyId, limit, include }: { readonly companyId: string } & Pick<Query, 'limit' | 'include'>,
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
