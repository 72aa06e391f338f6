import type { Knex } from 'knex';

/**
 * Adds tests of another URL than that of the webhook, and drops the shadows.
 *
 * Lock: `deliveries` and `finished_deliveries` for an instant, and `webhook_shadows`; no row is rewritten. Old code: queues no
 * such test, and would send it to the URL of the webhook; the console, which offers it, is upgraded after job-state. No release reads
 * `webhook_shadows`: it came after 0.1.0.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- test_url: where a test goes in place of the URL of its webhook; null for every other delivery.
    -- test_headers: the custom headers for that URL, sealed as those of the webhook are; null without any.
    alter table deliveries add column test_url text, add column test_headers bytea;
    alter table finished_deliveries add column test_url text;

    create or replace view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret, number, test_url
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret, number, test_url
      from finished_deliveries;

    drop table webhook_shadows;
    delete from subscription_secrets where version = -1;
  `);
}

/** Drops the other URLs, and creates the table of shadows without rows. A test that waits goes to the URL of its webhook. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create table webhook_shadows (
      subscription_id text constraint webhook_shadows_pkey primary key
        constraint webhook_shadows_subscription_id_fkey references subscriptions on delete cascade,
      id text collate "C" not null constraint webhook_shadows_id_key unique,
      url text not null,
      percent integer not null,
      state text not null
        constraint webhook_shadows_state_check check (state in ('testing', 'running', 'refused', 'ended')),
      started_at timestamptz not null default now(),
      ends_at timestamptz not null,
      test jsonb,
      outcomes jsonb not null default '{}',
      skipped integer not null default 0,
      live_durations integer[] not null,
      shadow_durations integer[] not null,
      differences jsonb not null default '[]',
      header_names text[]
    );
    create index webhook_shadows_running_idx on webhook_shadows (ends_at) where state = 'running';

    drop view all_deliveries;
    create view all_deliveries as
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, next_attempt_at, lease_id, created_at, null::timestamptz as finished_at, wrong_secret, number
      from deliveries
      union all
      select id, subscription_id, company_id, event_id, event, resource_type, resource_id, is_test, replay_of, bulk_replay_id,
        state, attempts, null::timestamptz, null::text, created_at, finished_at, wrong_secret, number
      from finished_deliveries;
    alter table finished_deliveries drop column test_url;
    alter table deliveries drop column test_url, drop column test_headers;
  `);
}
