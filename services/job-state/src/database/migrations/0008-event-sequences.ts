import type { Knex } from 'knex';

/**
 * Numbers the events of each company, so that a reader's cursor never skips an event that is committed late.
 *
 * Lock: `events` while the index is built, which reads the table once and contains no row yet. Old code: records events without a
 * number; a trigger adds it. A later migration can drop the trigger.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The number of each company's newest event.
    create table event_heads (
      company_id text constraint event_heads_pkey primary key,
      last bigint not null
    );

    -- sequence: the number of the event among those of its company, from 1, in the order of commits and without gaps. 0: a test, or recorded
    -- before events had numbers.
    alter table events add column sequence bigint not null default 0;
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

/** Drops the numbers; webhooks do not depend on them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger number_event on events;
    drop function number_event;
    drop index events_sequence_idx;
    alter table events drop column sequence;
    drop table event_heads;
  `);
}
