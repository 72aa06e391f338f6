import type { Knex } from 'knex';

/**
 * Adds viewers, links for passwords, second factors, sign-in with an identity provider, and emails about changes of accounts.
 *
 * References that are checked at the commit let a membership of the platform take over the rows of the one that it replaces. Lock:
 * `memberships`, for an instant; no row is rewritten. Old code: refuses the login of a viewer, ignores the tables, keeps sessions until
 * the person has another password or role, cannot replace a membership with a second factor, and deletes the provider links of one that
 * it replaces.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- session_version: counts what ends the sessions besides a new password: a reset second factor, a deleted provider link.
    alter table memberships add column session_version int not null default 0;
    alter table memberships drop constraint memberships_role_check;
    alter table memberships add constraint memberships_role_check
      check (role in ('OWNER', 'VIEWER', 'TECHNICIAN')) not valid;
    alter table memberships validate constraint memberships_role_check;

    -- The newest link with which a person can set a password, until it is used.
    create table password_links (
      membership_id text constraint password_links_pkey primary key
        constraint password_links_membership_id_fkey references memberships on delete cascade,
      token_sha256 bytea not null constraint password_links_token_sha256_key unique,
      expires_at timestamptz not null
    );

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

    -- The identities at an identity provider (OpenID Connect) with which people sign in.
    create table provider_links (
      issuer text not null,
      subject text not null constraint provider_links_subject_check check (length(subject) between 1 and 255),
      membership_id text not null
        constraint provider_links_membership_id_fkey references memberships on delete cascade deferrable initially deferred,
      linked_at timestamptz not null,
      constraint provider_links_pkey primary key (issuer, subject),
      constraint provider_links_membership_id_issuer_key unique (membership_id, issuer)
    );

    -- One row for equal notices to one address. count: those that are not mailed, from first_at to last_at; details: of the last one.
    -- mailed_at: the last email. lease_id, leased_count: of the email that the console sends now. not_before: end of that lease, or of the
    -- pause after a failure.
    create table security_notices (
      company_id text not null constraint security_notices_company_id_fkey references companies,
      kind text not null,
      subject_id text not null,
      email text not null,
      details jsonb not null,
      count integer not null,
      first_at timestamptz not null,
      last_at timestamptz not null,
      mailed_at timestamptz,
      lease_id text,
      leased_count integer,
      not_before timestamptz,
      constraint security_notices_pkey primary key (company_id, kind, subject_id, email)
    );
  `);
}
