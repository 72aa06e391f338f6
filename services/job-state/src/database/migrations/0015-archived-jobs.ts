import type { Knex } from 'knex';

/**
 * Makes `jobs` and `job_status_events` tables of partitions: one of the jobs that partners work on, and one for each month of the archive.
 *
 * Lock: both, until the end: indexes are built and each row is read, 3 s for 200,000 jobs with a million entries of history. Old code: finds
 * every job under the same name, and changes an archived one where it is.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- In the order in which writers lock them.
    lock table jobs, job_status_events in access exclusive mode;
    alter table job_status_events drop constraint job_status_events_job_id_fkey;

    -- archived_at: when the job was moved to the archive, with its history; infinity: it was not. The id alone is unique too, since a
    -- row only ever moves.
    alter table jobs
      add column archived_at timestamptz not null default 'infinity',
      drop constraint jobs_pkey,
      add constraint jobs_open_pkey primary key (id, archived_at);
    alter table jobs rename to jobs_open;
    alter index jobs_installer_company_id_idx rename to jobs_open_installer_company_id_idx;
    alter index jobs_contractor_idx rename to jobs_open_contractor_idx;
    alter index jobs_work_order_no_idx rename to jobs_open_work_order_no_idx;
    alter index jobs_project_id_idx rename to jobs_open_project_id_idx;
    create index jobs_open_closed_idx on jobs_open (last_updated_at) where status in ('COMPLETE', 'CANCELLED');
    -- References to companies and projects are checked while a job is open: to attach a month must not lock those tables.
    create table jobs (
      like jobs_open including defaults including constraints,
      constraint jobs_pkey primary key (id, archived_at)
    ) partition by range (archived_at);
    create index jobs_installer_company_id_idx on jobs (installer_company_id, id);
    create index jobs_contractor_idx on jobs (selling_company_id, installer_company_id, last_updated_at desc, id desc);
    create index jobs_work_order_no_idx on jobs (work_order_no) where work_order_no is not null;
    create index jobs_project_id_idx on jobs (project_id) where project_id is not null;
    alter table jobs attach partition jobs_open for values from ('infinity') to (maxvalue);
    create table jobs_default partition of jobs default;

    alter table job_status_events
      add column archived_at timestamptz not null default 'infinity',
      drop constraint job_status_events_pkey,
      add constraint job_status_events_open_pkey primary key (job_id, version, archived_at);
    alter table job_status_events rename to job_status_events_open;
    create table job_status_events (
      like job_status_events_open including defaults including constraints,
      constraint job_status_events_pkey primary key (job_id, version, archived_at)
    ) partition by range (archived_at);
    alter table job_status_events attach partition job_status_events_open for values from ('infinity') to (maxvalue);
    create table job_status_events_default partition of job_status_events default;

    create or replace function drop_partition(parent text, partition text) returns void
      language plpgsql security definer set search_path = pg_catalog as $$
    begin
      perform public.check_partition(parent, partition);
      if parent in ('jobs', 'job_status_events') then raise exception '% is an archive', parent; end if;
      execute format('drop table public.%I', partition);
    end $$;
  `);
}
