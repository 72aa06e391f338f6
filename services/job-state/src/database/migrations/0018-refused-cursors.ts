import type { Knex } from 'knex';

/**
 * Records the highest lost position that each company's readers send after a restore.
 *
 * Lock: `feed_heads` and `event_heads` for an instant; no row is rewritten. Old code: ignores both.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- refused_cursor: the highest lost number that a reader has sent. The service has signed cursors of the feed, so it issued it before
    -- the restore. Cursors of events have no signature: the number is the reader's own claim about its company.
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
