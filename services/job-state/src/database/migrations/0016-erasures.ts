import type { Knex } from 'knex';

/**
 * Records erasures of personal data, and how far they are.
 *
 * Lock: none. Old code: ignores the table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
  `);
}

/** Forgets the erasures: those in progress stay incomplete. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table erasures');
}
