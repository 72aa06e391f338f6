import type { Knex } from 'knex';

/**
 * Adds counts of deliveries, by the time of their creation, to the counts of attempts.
 *
 * Lock: `delivery_statistics` for an instant; no row is rewritten. Old code: counts attempts only, which stand for deliveries where the
 * column is null.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Created in these five minutes, now: with an attempt, delivered by the first one, delivered, dead-lettered.
    alter table delivery_statistics add column deliveries integer[]
      constraint delivery_statistics_deliveries_check check (cardinality(deliveries) = 4);
  `);
}
