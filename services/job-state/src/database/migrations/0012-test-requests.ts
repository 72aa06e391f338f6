import type { Knex } from 'knex';

/**
 * Adds what arrived at the test receivers of the sandbox.
 *
 * Lock: none on existing tables but `companies`, for the moment of adding the reference. Old code: ignores it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- At most 50 of a company, of the last day. webhook_id: a webhook of the company, which may be deleted since.
    create table test_requests (
      id text collate "C" not null,
      company_id text not null constraint test_requests_company_id_fkey references companies,
      received_at timestamptz not null,
      event text,
      webhook_id text,
      signature text not null constraint test_requests_signature_check check (signature in ('valid', 'invalid', 'missing')),
      headers jsonb,
      body bytea not null,
      constraint test_requests_pkey primary key (company_id, id)
    );
  `);
}
