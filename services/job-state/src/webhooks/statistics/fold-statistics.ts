import type { Queryable } from '../../database/database.js';
import { ADD_TO_KNOWN, ADDED_COUNTS, STATISTICS_COLUMNS } from './count-attempts.js';

/** Rows of one statement. */
const AT_ONCE = 5_000;

const FOLD = `
  with short as (
    delete from delivery_statistics s using (
      select subscription_id, starts_at from delivery_statistics
      where starts_at <> date_bin('5 minutes', starts_at, 'epoch') and starts_at < now() - interval '65 minutes'
      order by starts_at limit ${AT_ONCE} for update skip locked
    ) past
    where s.subscription_id = past.subscription_id and s.starts_at = past.starts_at
    returning s.*
  ), folded as (
    insert into delivery_statistics as known (${STATISTICS_COLUMNS})
    select subscription_id, date_bin('5 minutes', starts_at, 'epoch'), ${ADDED_COUNTS}
    from short group by 1, 2 order by 1, 2
    ${ADD_TO_KNOWN}
  )
  select count(*)::integer as rows from short`;

/**
 * Adds rows of ten seconds that are so old that no transaction counts in them any more to one for each five minutes, of which readers
 * get no less. Statistics stay the same at every moment. Returns whether more are left.
 *
 * Lock: these rows, then those of five minutes in ascending order.
 */
export async function foldStatistics(database: Queryable): Promise<'more' | 'idle'> {
  const [folded] = await database.query<{ rows: number }>(FOLD);
  return folded?.rows === AT_ONCE ? 'more' : 'idle';
}
