import type { Knex } from 'knex';

/**
 * Numbers deliveries, so that a receiver knows whether it missed one, and adds tests with a wrong signature or another URL.
 *
 * Lock: `deliveries` and `finished_deliveries` for an instant; no row is rewritten. Old code: queues and finishes deliveries without a
 * number, and signs such a test correctly, sends it to the URL of the webhook, and retries it after a failure.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- wrong_secret: the sealed random secret that signs a test that the receiver must refuse; null for every other delivery.
    -- number: of the event among those of the subscription, from 1, without gaps. Every delivery of the event to it has the same. Null: a
    -- test, or queued before deliveries had numbers.
    -- test_url: where a test goes in place of the URL of its webhook; null for every other delivery.
    -- test_headers: the custom headers for that URL, sealed as those of the webhook are; null without any.
    alter table deliveries
      add column wrong_secret bytea, add column number bigint, add column test_url text, add column test_headers bytea;
    alter table finished_deliveries add column wrong_secret bytea, add column number bigint, add column test_url text;

    create or replace view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret, number, test_url
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret, number, test_url
      from finished_deliveries;
  `);
}
