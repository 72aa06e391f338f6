import type { Knex } from 'knex';

/**
 * Moves the numbers of events from one row of a company to one for each 64 events, and lets statistics be counted in shorter times.
 *
 * Lock: `event_heads`, which only unreleased versions write, and `events` for the moment of replacing a function. `delivery_statistics`
 * against writes while it is read once for an index, of which no row is in it. Old code: records events without a number; the trigger adds it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- last: the number of the company's newest event. delivery_counts: by subscription, how many events have been queued to it. Only the
    -- row with the highest block counts; it is last / 64. So no more than 64 recorded events rewrite a row: while an old snapshot is held, a reader
    -- finds all versions of a row through its index, dead or not.
    create table event_numbers (
      company_id text not null,
      block bigint not null,
      last bigint not null,
      delivery_counts jsonb not null default '{}',
      constraint event_numbers_pkey primary key (company_id, block)
    ) with (fillfactor = 50);
    insert into event_numbers (company_id, block, last, delivery_counts)
    select company_id, last / 64, last, delivery_counts from event_heads;
    alter table event_heads drop column last, drop column delivery_counts;

    -- Gives events, and deliveries of them, the next numbers of each company, and returns the last ones. The company is locked until the
    -- commit, in ascending order, so numbers follow the order of commits, without gaps. Each statement of a volatile function has a
    -- new snapshot: the second one sees what the first has waited for.
    create function take_event_numbers(companies text[], events bigint[], queued jsonb[])
      returns setof event_numbers language plpgsql volatile rows 10 as $$
    begin
      perform pg_advisory_xact_lock(hashtextextended(company, 2)) from (select unnest(companies) as company order by 1) ordered;
      return query
      insert into public.event_numbers as known (company_id, block, last, delivery_counts)
      select added.company, (coalesce(newest.last, 0) + added.events) / 64, coalesce(newest.last, 0) + added.events,
        coalesce(newest.delivery_counts, '{}') || (
          select coalesce(jsonb_object_agg(key, coalesce((newest.delivery_counts ->> key)::bigint, 0) + value::bigint), '{}')
          from jsonb_each_text(added.queued)
        )
      from unnest(companies, events, queued) as added (company, events, queued)
      left join lateral (
        select n.last, n.delivery_counts from public.event_numbers n
        where n.company_id = added.company order by n.block desc limit 1
      ) newest on true
      on conflict (company_id, block) do update set last = excluded.last, delivery_counts = excluded.delivery_counts
      returning known.*;
    end $$;

    create or replace function number_event() returns trigger language plpgsql as $$
    begin
      select last into new.sequence from public.take_event_numbers(array[new.company_id], array[1], array['{}'::jsonb]);
      return new;
    end $$;

    -- Rows of less than the five minutes that readers get.
    create index delivery_statistics_short_idx on delivery_statistics (starts_at)
      where starts_at <> date_bin('5 minutes', starts_at, 'epoch');
  `);
}
