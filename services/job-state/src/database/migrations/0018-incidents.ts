import type { Knex } from 'knex';

/**
 * Adds the times in which the service was degraded.
 *
 * Lock: none. Old code: neither writes nor reads them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- cause: late or failing. Until it ends, seen_at moves.
    create table service_incidents (
      began_at timestamptz constraint service_incidents_pkey primary key,
      seen_at timestamptz not null,
      cause text not null
    );
  `);
}
