import type { Knex } from 'knex';

/**
 * Adds the fields of which one must have changed for an event to be sent.
 *
 * Lock: `subscriptions`, for an instant. Old code: ignores the column, and sends events whatever they change; its trace
 * of an event that new code left out has no words for `fields`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- fields: for events and groups, names of fields; null: all events are sent.
    alter table subscriptions add column fields jsonb
  `);
}
