import type { Knex } from 'knex';

/**
 * Adds `provider_links`: the identities at an identity provider (OpenID Connect) with which people sign in.
 *
 * The reference is checked at the commit, because a membership of the platform takes over the links of the one that it replaces. Lock:
 * `memberships`, briefly, for the reference. Old code: does not read the table; if it replaces a membership, the link is deleted, and
 * the next sign-in makes it again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table provider_links (
      issuer text not null,
      subject text not null constraint provider_links_subject_check check (length(subject) between 1 and 255),
      membership_id text not null
        constraint provider_links_membership_id_fkey references memberships on delete cascade deferrable initially deferred,
      linked_at timestamptz not null,
      constraint provider_links_pkey primary key (issuer, subject),
      constraint provider_links_membership_id_issuer_key unique (membership_id, issuer)
    );
  `);
}

/** Drops the links: their people sign in with a password alone, and those without one not at all. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table provider_links');
}
