import type { Knex } from 'knex';

/**
 * Adds subscriptions that get the events about one resource one after another.
 *
 * Locks: `subscriptions` for an instant, `deliveries` while they are read once: no row has the flag yet. Old code: queues deliveries
 * without the flag, and sends those that have it in any order, at most five minutes late.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table subscriptions add column ordered boolean not null default false;
    -- Of the subscription when it was queued.
    alter table deliveries add column ordered boolean not null default false;
    create index deliveries_ordered_idx on deliveries (subscription_id, resource_id, number) where ordered;
  `);
}
