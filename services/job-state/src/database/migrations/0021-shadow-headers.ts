import type { Knex } from 'knex';

/**
 * Adds the names of the custom headers that were given for a shadow.
 *
 * Lock: `webhook_shadows`, without a rewrite. Old code: gives copies the headers of the webhook, and drops those of the shadow
 * at their end.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- header_names: of the custom headers of copies, which are the secret with version -1. Null: none were given.
    alter table webhook_shadows add column header_names text[];
  `);
}

/** Drops the headers of shadows. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from subscription_secrets where version = -1;
    alter table webhook_shadows drop column header_names;
  `);
}
