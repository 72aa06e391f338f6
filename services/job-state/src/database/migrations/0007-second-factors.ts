import type { Knex } from 'knex';

/**
 * Adds `second_factors`, the secrets of owners' authenticator apps.
 *
 * The reference is checked at the commit, because a membership of the platform takes over the row of the one that it
 * replaces. Lock: `memberships`, briefly, for the reference. Old code: does not look at the table; it cannot replace a
 * membership that has a row.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table second_factors (
      id text constraint second_factors_pkey primary key,
      membership_id text not null constraint second_factors_membership_id_key unique
        constraint second_factors_membership_id_fkey references memberships deferrable initially deferred,
      -- The secret for the id and version 1, sealed as signing secrets are.
      sealed bytea not null,
      sealing_key_id text not null,
      -- Null: pending, and not asked for.
      enabled_at timestamptz,
      -- Time step (30 s) of the newest code that was used. Older ones are refused.
      last_step integer not null default 0,
      -- Unused recovery codes.
      recovery_code_sha256s bytea[] not null default '{}'
    );
  `);
}

/** Drops the second factors: their owners sign in with the password alone. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table second_factors');
}
