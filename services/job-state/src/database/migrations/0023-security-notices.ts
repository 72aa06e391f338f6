import type { Knex } from 'knex';

/**
 * Adds the emails about changes of accounts and of who has access.
 *
 * Lock: none on existing rows. Old code: queues none.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
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

/** Drops the emails that are not sent. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table security_notices');
}
