import type { Knex } from 'knex';

/**
 * Adds the jobs that have left a company, with the place in its feed at which they left.
 *
 * Lock: none on existing rows. Old code: records no job that leaves, and reads no such place.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- One row for a company and a job, of the last time that it left. It stays when the job comes back: a later entry of the feed says so.
    create table unassigned_jobs (
      company_id text not null,
      job_id text not null,
      sequence bigint not null,
      unassigned_at timestamptz not null,
      constraint unassigned_jobs_pkey primary key (company_id, job_id),
      constraint unassigned_jobs_sequence_key unique (company_id, sequence)
    );
  `);
}

/** Drops the places: readers of the feed no longer learn which jobs have left. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table unassigned_jobs');
}
