import type { Knex } from 'knex';

/**
 * Adds since when the attempts of a webhook fail, or are accepted, without a break.
 *
 * Lock: `subscriptions`, for the moment of adding an empty column. Old code: ignores it, so the time stays that of an earlier run.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- in_row_since: when failures_in_row last rose from 0 or fell to 0; null: not since this column exists.
    alter table subscriptions add column in_row_since timestamptz;
  `);
}
