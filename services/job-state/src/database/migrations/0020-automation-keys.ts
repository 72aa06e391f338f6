import type { Knex } from 'knex';

/**
 * Adds the kind `automation` of API keys, which always ends, and the networks that a key is bound to.
 *
 * Lock: `api_keys`, for as long as its checks take: it has a few rows for each company. Old code: knows no such key, and its gateways refuse it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- networks: in CIDR notation; null: the key may be used from anywhere.
    alter table api_keys
      add column networks text[],
      drop constraint api_keys_kind_check,
      add constraint api_keys_kind_check
        check (kind in ('general', 'installer-contractor', 'installer-company', 'automation')),
      add constraint api_keys_end_check check (kind <> 'automation' or expires_at is not null)
  `);
}
