import type { Knex } from 'knex';

/**
 * Records the highest lost position that each company's readers send after a restore.
 *
 * Lock: `feed_heads` and `event_heads` for an instant; no row is rewritten. Old code: ignores both.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- refused_cursor: the highest lost number that a reader has sent. Cursors are signed, so the service issued it before the restore.
    alter table feed_heads add column refused_cursor bigint;
    alter table event_heads add column refused_cursor bigint;
  `);
}

/** Forgets these positions; readers do not depend on them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table event_heads drop column refused_cursor;
    alter table feed_heads drop column refused_cursor;
  `);
}
