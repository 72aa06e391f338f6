import type { Knex } from 'knex';

/**
 * Adds the indexes by which the records of a lead or project are found: without them, a search scans whole tables.
 *
 * Lock: `projects`, `appointments`, `jobs` and `sales_records`, each against writes until the end, about a second for a million rows.
 * Old code: uses them too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index projects_lead_id_idx on projects (lead_id);
    create index appointments_lead_id_idx on appointments (lead_id);
    create index appointments_project_id_idx on appointments (project_id) where project_id is not null;
    create index jobs_project_id_idx on jobs (project_id) where project_id is not null;
    create index sales_records_project_id_idx on sales_records (project_id) where project_id is not null;
  `);
}
