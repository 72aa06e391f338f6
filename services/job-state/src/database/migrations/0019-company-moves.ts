import type { Knex } from 'knex';

/**
 * Records which companies leave this database for another one, or have left it.
 *
 * Lock: none. Old code: ignores the table, so all replicas must have this version before a company is moved.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table company_moves (
      company_id text primary key,
      -- leaving: from the beginning of a move to its end. left: the company is in another database.
      state text not null constraint company_moves_state_check check (state in ('leaving', 'left')),
      changed_at timestamptz not null default now()
    );
  `);
}

/** Forgets the moves: finish them before. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table company_moves');
}
