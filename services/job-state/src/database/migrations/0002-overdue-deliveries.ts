import type { Knex } from 'knex';

/**
 * Adds `overdue_since`, so that the age of a delivery that is released repeatedly without a result is known.
 *
 * Each lease moves `next_attempt_at`, which hides that age. Lock: `deliveries` while the index is built, over the unfinished
 * rows. Old code: ignores the column; deliveries that wait for their time are not counted as overdue.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- overdue_since: when the first lease ended, or was returned, without an attempt; null otherwise.
    alter table deliveries add column overdue_since timestamptz;
    create index deliveries_overdue_idx on deliveries (overdue_since) where overdue_since is not null;
  `);
}

/** Drops the overdue marks; deliveries are released as before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_overdue_idx;
    alter table deliveries drop column overdue_since;
  `);
}
