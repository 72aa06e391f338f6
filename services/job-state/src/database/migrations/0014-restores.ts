import type { Knex } from 'knex';

/**
 * Records restores from a backup, and which numbers of feeds and events they have lost.
 *
 * Lock: `feed_heads` and `event_heads` for an instant; no row is rewritten. Old code: ignores both.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table restores (
      -- restored_to: everything committed later is lost.
      restored_to timestamptz primary key,
      declared_at timestamptz not null
    );

    -- lost_numbers: what readers may hold from data that a restore has lost. No later number is among them.
    alter table feed_heads add column lost_numbers int8multirange not null default '{}';
    alter table event_heads add column lost_numbers int8multirange not null default '{}';
  `);
}

/** Forgets the restores: positions that readers hold from lost data are no longer refused. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table event_heads drop column lost_numbers;
    alter table feed_heads drop column lost_numbers;
    drop table restores;
  `);
}
