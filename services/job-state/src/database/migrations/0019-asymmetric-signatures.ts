import type { Knex } from 'knex';

/**
 * Adds whether deliveries have an asymmetric signature too.
 *
 * Lock: `subscriptions`, for an instant. Old code: ignores the column, so its attempts have no such signature.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table subscriptions add column asymmetric_signature boolean not null default false');
}
