import type { Knex } from 'knex';

/**
 * Adds `password_links`, and the role `VIEWER` of people who can read in the console but change nothing.
 *
 * Lock: `memberships`, for an instant. Old code: sees no links, and refuses the login of a viewer, because it accepts owners only.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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
  `);
}

/** Drops the links. Viewers lose their sign-in: the former version has no role for them. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table password_links;
    update memberships set role = 'TECHNICIAN', active = false, email = null, password_hash = null where role = 'VIEWER';
    alter table memberships drop constraint memberships_role_check;
    alter table memberships add constraint memberships_role_check check (role in ('OWNER', 'TECHNICIAN'));
  `);
}
