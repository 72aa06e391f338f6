/**
 * The new `delivery_counts` of `event_heads as head` after a conflict: those of the row with `excluded` added.
 *
 * `excluded` has the number of events that a statement queues to each subscription. The row is locked until the commit, so numbers
 * follow the order of commits, without gaps.
 */
export const ADDED_COUNTS = `head.delivery_counts || (
     select coalesce(
       jsonb_object_agg(added.key, coalesce((head.delivery_counts ->> added.key)::bigint, 0) + added.value::bigint), '{}'
     )
     from jsonb_each_text(excluded.delivery_counts) added
   )`;

/**
 * Common table expressions that number what a step of a bulk replay queues to subscription $1 of company $2.
 *
 * `source` is a relation with the event's `id` and `replayed_number`, the number of the delivery that is replayed, and `is_first`: true
 * if the event has had no delivery to the subscription. Only these get new numbers. The result is `numbered`, with `number`.
 *
 * Lock: the company's row of `event_heads`, if there are new numbers.
 */
export const numberedFrom = (source: string): string => `
  first_queued as materialized (
    select id, row_number() over (order by id) as nth from ${source} where is_first
  ), head as (
    insert into event_heads as head (company_id, last, delivery_counts)
    select $2, 0, jsonb_build_object($1::text, count(*)) from first_queued having count(*) > 0
    on conflict (company_id) do update set delivery_counts = ${ADDED_COUNTS}
    returning (head.delivery_counts ->> $1)::bigint - (select count(*) from first_queued) as before
  ), numbered as (
    select source.*, coalesce(source.replayed_number, head.before + first_queued.nth) as number
    from ${source} source left join first_queued using (id) left join head on true
  )`;
