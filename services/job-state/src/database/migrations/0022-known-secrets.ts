import type { Knex } from 'knex';

/**
 * Adds whether the secret of a subscription was shown, and which secret signed the accepted test.
 *
 * Lock: `subscriptions`, without a rewrite. Old code: activates a subscription whatever the secret, and its rotation of a secret that was
 * never shown makes a pending one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- secret_shown: false while no one has the current secret. verified_secret_version: of the secret that signed the test that has
    -- verified the URL, the current one if both were accepted; null: recorded by a version that did not know it.
    alter table subscriptions
      add column secret_shown boolean not null default true,
      add column verified_secret_version integer;
  `);
}

/** Drops both. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table subscriptions drop column secret_shown, drop column verified_secret_version');
}
