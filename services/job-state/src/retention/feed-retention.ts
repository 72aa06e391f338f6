import type { Queryable } from '../database/database.js';
import type { Partition } from './partitions.js';

/** Records for each company up to where its feed is purged. Under the lock of the table no other transaction holds a head. */
export async function markFeedsPurged(tx: Queryable, { name }: Partition): Promise<void> {
  await tx.query(
    `update feed_heads as head set purged_through = newest.sequence
     from (
       select company_id, (
         select sequence from ${name} as entry where entry.company_id = feed_heads.company_id
         order by sequence desc limit 1
       ) as sequence
       from feed_heads
     ) as newest
     where newest.company_id = head.company_id and newest.sequence > head.purged_through`,
  );
}

/**
 * Deletes up to `limit` entries of the default partition from before an instant, and returns their number.
 *
 * Locks: entries, then heads in ascending order of company, as a transaction that withdraws and appends entries does.
 */
export async function purgeDefaultFeed(tx: Queryable, before: Date, limit: number): Promise<number> {
  const old = await tx.query<{ place: string; company_id: string }>(
    `select ctid::text as place, company_id from feed_entries_default
     where changed_at < $1 limit $2 for update skip locked`,
    [before, limit],
  );
  if (old.length === 0) return 0;
  await tx.query(
    'select 1 from feed_heads where company_id = any($1::text[]) order by company_id for no key update',
    [[...new Set(old.map(({ company_id }) => company_id))]],
  );
  const [row] = await tx.query<{ deleted: number }>(
    `with gone as (
       delete from feed_entries_default where ctid = any ($1::text[]::tid[]) and changed_at < $2
       returning company_id, sequence
     ), marked as (
       update feed_heads as head set purged_through = greatest(head.purged_through, newest.sequence)
       from (select company_id, max(sequence) as sequence from gone group by company_id) as newest
       where newest.company_id = head.company_id
     )
     select count(*)::integer as deleted from gone`,
    [old.map(({ place }) => place), before],
  );
  return row?.deleted ?? 0;
}
