import type { Knex } from 'knex';

/**
 * Adds `journal_backfills`, so that a late change of accounting links is announced in several transactions.
 *
 * Lock: none that a request waits for. Old code: announces a change in one transaction, and does not look at the table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Companies whose journal entries after a position are not yet compared with the company's links.
    create table journal_backfills (
      company_id text constraint journal_backfills_pkey primary key
        constraint journal_backfills_company_id_fkey references companies,
      occurred_at timestamptz not null,
      entry_id text not null
    );
  `);
}

/** Drops the positions; entries after them stay as they were announced. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table journal_backfills');
}
