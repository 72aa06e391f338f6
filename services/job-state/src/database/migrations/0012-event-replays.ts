import type { Knex } from 'knex';

/**
 * Lets a bulk replay queue events that were selected by number, time or id.
 *
 * Lock: `bulk_replays`, which is small, while the check reads it. Old code: would take a step of such a replay for one of a
 * back-fill. It never finds one due, because `next_run_at` of such a replay is infinite; `next_step_at` says when it is due.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- first_sequence, last_sequence: of a replay of events by number. event_ids: of one by id. next_step_at: when the next step of a
    -- replay of events is due; null for the other kinds.
    alter table bulk_replays
      add column first_sequence bigint,
      add column last_sequence bigint,
      add column event_ids text[],
      add column next_step_at timestamptz,
      drop constraint bulk_replays_kind_check,
      add constraint bulk_replays_kind_check check (kind in ('replay', 'backfill', 'events'));
    create index bulk_replays_next_step_at_idx on bulk_replays (next_step_at) where state = 'running';
  `);
}

/** Deletes the replays of events; what they have queued stays. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from bulk_replays where kind = 'events';
    alter table bulk_replays
      drop column first_sequence,
      drop column last_sequence,
      drop column event_ids,
      drop column next_step_at,
      drop constraint bulk_replays_kind_check,
      add constraint bulk_replays_kind_check check (kind in ('replay', 'backfill'));
  `);
}
