import type { Queryable } from '../database/database.js';

/**
 * Moves up to `limit` jobs that are complete or cancelled, and have not changed for a partner since `closedBefore`, to the archive with
 * their history, and returns their number. `now`: the time of the move. Only one process may do so at a time.
 *
 * It leaves out a job that is locked. A statement that waits for one that moves fails with `LockTimeoutError`.
 */
export async function archiveJobs(
  database: Queryable,
  { closedBefore, now, limit }: { readonly closedBefore: Date; readonly now: Date; readonly limit: number },
): Promise<number> {
  const [row] = await database.query<{ archived: number }>(
    `with closed as materialized (
       select id from jobs_open where status in ('COMPLETE', 'CANCELLED') and last_updated_at < $1
       order by last_updated_at limit $3
       for update skip locked
     ), history as (
       update job_status_events set archived_at = $2
       where archived_at = 'infinity' and job_id in (select id from closed)
     ), archived as (
       update jobs set archived_at = $2 where archived_at = 'infinity' and id in (select id from closed) returning id
     )
     select count(*)::integer as archived from archived`,
    [closedBefore, now, limit],
  );
  return row?.archived ?? 0;
}
