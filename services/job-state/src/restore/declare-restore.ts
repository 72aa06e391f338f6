import type { Database } from '../database/database.js';

/** Numbers that a company can use in each second between two restores, before they would meet. */
const NUMBERS_PER_SECOND = 1_000_000;

/**
 * Declares that the database was restored from a backup to an instant. Resolves to false if that was declared before
 * (decision RESTORE-1).
 *
 * The numbers of all feeds and events, and of the deliveries to each subscription, continue at the time of the declaration: seconds since
 * 1970 times a million. So no number is given twice, not even by a restore to a time before another one. Those in between are marked as
 * lost: a reader with such a position is refused, since a later page would hide what it has missed.
 *
 * One transaction. Locks: the heads of all companies, in ascending order. No service may use the restored database before its end.
 */
export function declareRestore(
  database: Pick<Database, 'transaction'>,
  restoredTo: Date,
  now: Date,
): Promise<boolean> {
  const base = Math.floor(now.getTime() / 1_000) * NUMBERS_PER_SECOND;
  return database.transaction(async (tx) => {
    const declared = await tx.query(
      'insert into restores (restored_to, declared_at) values ($1, $2) on conflict do nothing returning 1',
      [restoredTo, now],
    );
    if (declared.length === 0) return false;
    await tx.query(
      `insert into feed_heads as head (company_id, last, lost_numbers)
       select id, $1::bigint, int8multirange(int8range(0, $1, '()')) from companies order by id
       on conflict (company_id) do update
         set last = $1, lost_numbers = head.lost_numbers + int8multirange(int8range(head.last, $1, '()'))`,
      [base],
    );
    await tx.query(
      `insert into event_heads as head (company_id, last, lost_numbers, delivery_counts)
       select c.id, $1::bigint, int8multirange(int8range(0, $1, '()')), (
         select coalesce(jsonb_object_agg(s.id, $1::bigint), '{}') from subscriptions s
         where s.company_id = c.id and s.deleted_at is null
       )
       from companies c order by c.id
       on conflict (company_id) do update
         set last = $1, lost_numbers = head.lost_numbers + int8multirange(int8range(head.last, $1, '()')),
           delivery_counts = excluded.delivery_counts`,
      [base],
    );
    return true;
  });
}
