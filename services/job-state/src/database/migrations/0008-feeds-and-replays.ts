import type { Knex } from 'knex';

/**
 * Adds restores, erasures, jobs that have left a company, replays of events, and the headers of responses.
 *
 * Lock: `feed_heads`, `delivery_attempts` and `bulk_replays`, which is small, for an instant; no row is rewritten. Old code: ignores most of
 * it, and never finds a replay of events due, because its `next_run_at` is infinite; `next_step_at` says when it is due.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table restores (
      -- restored_to: everything committed later is lost.
      restored_to timestamptz primary key,
      declared_at timestamptz not null
    );

    -- lost_numbers: what readers may hold from data that a restore has lost. No later number is among them. refused_cursor: the highest lost
    -- number that a reader has sent. The service has signed cursors of the feed, so it issued it before the restore.
    alter table feed_heads
      add column lost_numbers int8multirange not null default '{}',
      add column refused_cursor bigint;

    create table erasures (
      id text collate "C" primary key,
      -- subject: ids of the records, never personal data.
      subject jsonb not null,
      operator text not null,
      requested_at timestamptz not null,
      -- erased_in: the transaction that erased the sources. Transactions that were open then can have rendered the old data.
      erased_in xid8,
      -- progress: the position of the next step. erased_rows: the number of changed rows by table.
      progress jsonb,
      erased_rows jsonb not null default '{}',
      finished_at timestamptz
    );
    create index erasures_unfinished_idx on erasures (id) where finished_at is null;

    -- One row for a company and a job, of the last time that it left, with the place in the company's feed at which it left. It stays when
    -- the job comes back: a later entry of the feed says so.
    create table unassigned_jobs (
      company_id text not null,
      job_id text not null,
      sequence bigint not null,
      unassigned_at timestamptz not null,
      constraint unassigned_jobs_pkey primary key (company_id, job_id),
      constraint unassigned_jobs_sequence_key unique (company_id, sequence)
    );

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

    -- response_headers: names and values in their order, as JSON that is never queried; null without a response, and for an
    -- attempt that an old dispatcher reported.
    alter table delivery_attempts add column response_headers json;
  `);
}
