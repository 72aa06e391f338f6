import type { Knex } from 'knex';

/**
 * Creates a table that nothing reads any more: see the tables to drop in `all-migrations.ts`.
 *
 * Lock: none. Old code: ignores the table.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table company_moves (
      company_id text primary key,
      state text not null constraint company_moves_state_check check (state in ('leaving', 'left')),
      changed_at timestamptz not null default now()
    );
  `);
}

/** Drops the table. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table company_moves');
}
