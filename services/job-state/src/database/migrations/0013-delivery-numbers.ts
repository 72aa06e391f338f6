import type { Knex } from 'knex';

/**
 * Numbers the events that each subscription gets, so that a receiver knows whether it missed one.
 *
 * Lock: `event_heads`, `deliveries` and `finished_deliveries` for an instant; no row is rewritten. Old code: queues and finishes
 * deliveries without a number.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- delivery_counts: by subscription, how many events have been queued to it. The row is written for the number of the events in any case.
    -- Room in the page for the next version of a row keeps its updates away from the index.
    alter table event_heads add column delivery_counts jsonb not null default '{}';
    alter table event_heads set (fillfactor = 50);

    -- number: of the event among those of the subscription, from 1, without gaps. Every delivery of the event to it has the same. Null: a
    -- test, or queued before deliveries had numbers.
    alter table deliveries add column number bigint;
    alter table finished_deliveries add column number bigint;

    create or replace view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret, number
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret, number
      from finished_deliveries;
  `);
}

/** Drops the numbers; webhooks do not depend on them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop view all_deliveries;
    create view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret
      from finished_deliveries;
    alter table finished_deliveries drop column number;
    alter table deliveries drop column number;
    alter table event_heads reset (fillfactor);
    alter table event_heads drop column delivery_counts;
  `);
}
