import type { Knex } from 'knex';

/**
 * Why: how late a delivery is could not be told of one that is given to the dispatcher over and over without a result, since
 * each lease moves `next_attempt_at`. Lock: `deliveries` while the index is built, over the rows that have not come to an end.
 * Old code: knows nothing of the column and leaves it as it is; what waits for its time is not counted as overdue.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- overdue_since: since when a lease has ended, or was given back, without anybody having heard of an attempt; null otherwise.
    alter table deliveries add column overdue_since timestamptz;
    create index deliveries_overdue_idx on deliveries (overdue_since) where overdue_since is not null;
  `);
}

/** Forgets which deliveries are overdue: they are given out as before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_overdue_idx;
    alter table deliveries drop column overdue_since;
  `);
}
