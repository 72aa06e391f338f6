import type { Knex } from 'knex';

/**
 * Adds `test_subscription_id`, so that an example of an event is kept apart from the events that occurred.
 *
 * Lock: `events`, without a rewrite. Old code: ignores the column. A back-fill that an old replica runs during the upgrade can
 * queue an example that was sent during the pause.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- test_subscription_id: the subscription that a test was sent to; null for an event that occurred, and for an install.test
    -- from before this column, whose resource is the subscription.
    alter table events add column test_subscription_id text;
  `);
}

/** Drops the marks; examples then look like events that occurred. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table events drop column test_subscription_id');
}
