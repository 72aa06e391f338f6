import type { Knex } from 'knex';

/**
 * Adds the shadows of webhooks: URLs that deliveries are mirrored to, and how both compare.
 *
 * Lock: none on existing rows. Old code: mirrors nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The last shadow of each webhook. test: the result of its test. outcomes: by the outcomes of both, the number of deliveries.
    -- *_durations: the number of attempts in each slot of a histogram. differences: the last ones, newest first, bounded by the code.
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
      differences jsonb not null default '[]'
    );
    create index webhook_shadows_running_idx on webhook_shadows (ends_at) where state = 'running';
  `);
}

/** Drops the shadows; deliveries do not depend on them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table webhook_shadows');
}
