import type { Queryable, Transaction } from './database.js';

/** The number of the newest event of a company, 0 without one, in SQL. */
export const lastEventNumber = (companyId: string) => `coalesce(
    (select n.last from event_numbers n where n.company_id = ${companyId} order by n.block desc limit 1), 0
  )`;

/** Forgets how many events were queued to subscriptions that can get none any more; undefined: to all of the company. */
export function dropDeliveryCounts(
  tx: Pick<Transaction, 'query'>,
  companyId: string,
  subscriptionId?: string,
): void {
  void tx.query('select from take_event_numbers(array[$1], array[0], array[jsonb_build_object()])', [
    companyId,
  ]);
  void tx.query(
    `update event_numbers set delivery_counts = case when $2::text is null then '{}' else delivery_counts - $2 end
     where company_id = $1 and block = (select max(block) from event_numbers where company_id = $1)`,
    [companyId, subscriptionId ?? null],
  );
}

/** Deletes the rows of `event_numbers` before the newest one of a company, at most 10,000. */
export async function deleteFormerNumbers(database: Queryable): Promise<void> {
  await database.query(
    `delete from event_numbers n using (
       select former.company_id, former.block from event_numbers former
       where former.block < (
         select newest.block from event_numbers newest
         where newest.company_id = former.company_id order by newest.block desc limit 1
       )
       limit 10000
     ) former
     where n.company_id = former.company_id and n.block = former.block`,
  );
}
