import type { Knex } from 'knex';

/**
 * Adds the webhooks that API keys propose and owners confirm.
 *
 * Lock: none on existing tables but `companies`, for the moment of adding the reference. Old code: neither writes nor reads them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- wanted: the webhooks of the file, as text, since the same file is the same proposal. filed: what they would have changed when they were
    -- proposed or confirmed. decided_by: a membership.
    create table webhook_proposals (
      id text collate "C" constraint webhook_proposals_pkey primary key,
      company_id text not null constraint webhook_proposals_company_id_fkey references companies,
      key_id text not null,
      source text,
      wanted text not null,
      prune boolean not null,
      filed json not null,
      state text not null constraint webhook_proposals_state_check check (state in ('pending', 'confirmed', 'rejected')),
      created_at timestamptz not null,
      decided_at timestamptz,
      decided_by text
    );
    create unique index webhook_proposals_pending on webhook_proposals (key_id) where state = 'pending';
    create index webhook_proposals_company on webhook_proposals (company_id, created_at desc);
    create index webhook_proposals_created_at on webhook_proposals (created_at);
  `);
}
