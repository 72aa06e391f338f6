import type { Knex } from 'knex';

/**
 * Counts what ends the sessions of a person besides a new password: a reset second factor, a deleted link to the identity provider.
 *
 * Lock: `memberships` for an instant; no row is rewritten. Old code: does not read the column, so it keeps sessions of an earlier
 * version until the person has another password or role.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table memberships add column session_version int not null default 0');
}

/** Forgets the ends of sessions: one that a replica has not ended yet continues. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table memberships drop column session_version');
}
