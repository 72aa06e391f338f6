import type { Knex } from 'knex';

/**
 * Adds custom headers and a rate of deliveries to subscriptions.
 *
 * Lock: `subscriptions`, without a rewrite. Old code: sends no custom headers, keeps no rate, and reseals and deletes the headers as
 * the secrets that they are stored with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- header_names: of the custom headers, which are the secret with version 0. deliveries_per_second: the rate that the owner has
    -- chosen; null: none. next_delivery_at: when the next delivery starts if that rate is kept exactly.
    alter table subscriptions
      add column header_names text[] not null default '{}',
      add column deliveries_per_second integer
        constraint subscriptions_deliveries_per_second_check check (deliveries_per_second > 0),
      add column next_delivery_at timestamptz;
  `);
}

/** Drops the headers and the rates. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from subscription_secrets where version = 0;
    alter table subscriptions
      drop column header_names,
      drop column deliveries_per_second,
      drop column next_delivery_at;
  `);
}
