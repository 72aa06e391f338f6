import type { Knex } from 'knex';

/**
 * Adds `test_subscription_id`, so that an example of an event is kept apart from the events that occurred, and the headers of
 * responses.
 *
 * Lock: `events` and `delivery_attempts`, without a rewrite. Old code: ignores the columns. A back-fill that an old replica runs during the upgrade can
 * queue an example that was sent during the pause.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- test_subscription_id: the subscription that a test was sent to; null for an event that occurred, and for an install.test
    -- from before this column, whose resource is the subscription.
    alter table events add column test_subscription_id text;

    -- response_headers: names and values in their order, as JSON that is never queried; null without a response, and for an
    -- attempt that an old dispatcher reported.
    alter table delivery_attempts add column response_headers json;
  `);
}

/** Drops the headers, and the marks: examples then look like events that occurred. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table delivery_attempts drop column response_headers;
    alter table events drop column test_subscription_id;
  `);
}
