import type { Knex } from 'knex';

/**
 * Adds `wrong_secret`, so that a test can prove that the receiver refuses a signature that it cannot verify.
 *
 * Lock: `deliveries` and `finished_deliveries` for an instant; no row is rewritten. Old code: signs such a test correctly, and
 * retries it after a failure.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- wrong_secret: the sealed random secret that signs a test that the receiver must refuse; null for every other delivery.
    alter table deliveries add column wrong_secret bytea;
    alter table finished_deliveries add column wrong_secret bytea;

    create or replace view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret
      from finished_deliveries;
  `);
}

/** Drops the wrong secrets; a test that waits to be sent is signed like any other delivery. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view all_deliveries;
    create view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at
      from finished_deliveries;
    alter table finished_deliveries drop column wrong_secret;
    alter table deliveries drop column wrong_secret;
  `);
}
