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
