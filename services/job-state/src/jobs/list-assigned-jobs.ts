import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import { bytesBefore, PAGE_BYTES, pageWithinBytes } from '../rpc/page-within-bytes.js';

/** One job in its current state. */
export interface AssignedJob {
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
