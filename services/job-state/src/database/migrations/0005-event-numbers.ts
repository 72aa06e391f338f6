import type { Knex } from 'knex';

/**
 * Numbers the events of each company, so that a reader's cursor never skips an event that is committed late, and keeps examples apart.
 *
 * Lock: `events` while the index is built, which reads the table once and contains no row yet. Old code: records events without a
 * number; a trigger adds it. A later migration can drop the trigger. A back-fill that an old replica runs during the upgrade can queue an
 * example that was sent during the pause.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- last: the number of the company's newest event. delivery_counts: by subscription, how many events have been queued to it.
    -- lost_numbers: what readers may hold from data that a restore has lost; no later number is among them. refused_cursor: the highest
    -- lost number that a reader has sent, its own claim.
    -- The row is written for each event. Room in the page for its next version keeps updates away from the index.
    create table event_heads (
      company_id text constraint event_heads_pkey primary key,
      last bigint not null,
      delivery_counts jsonb not null default '{}',
      lost_numbers int8multirange not null default '{}',
      refused_cursor bigint
    ) with (fillfactor = 50);

    -- sequence: the number of the event among those of its company, from 1, in the order of commits and without gaps. 0: a test, or recorded
    -- before events had numbers.
    -- test_subscription_id: the subscription that a test was sent to; null for an event that occurred, and for an install.test
    -- from before this column, whose resource is the subscription.
    alter table events add column sequence bigint not null default 0, add column test_subscription_id text;
    alter table events alter column sequence drop default;
    create index events_sequence_idx on events (company_id, sequence) where sequence > 0;

    create function number_event() returns trigger language plpgsql as $$
    begin
      insert into public.event_heads as head (company_id, last) values (new.company_id, 1)
      on conflict (company_id) do update set last = head.last + 1
      returning last into new.sequence;
      return new;
    end $$;
    create trigger number_event before insert on events for each row when (new.sequence is null) execute function number_event();
  `);
}
