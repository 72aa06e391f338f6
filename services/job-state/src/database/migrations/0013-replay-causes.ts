import type { Knex } from 'knex';

/**
 * Adds the failure that a bulk replay is limited to.
 *
 * Lock: `bulk_replays`, for the moment of adding the column. Old code: such a replay is never due to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- outcome and responseStatus of the last attempt; null: any.
    alter table bulk_replays add column cause jsonb;
  `);
}
