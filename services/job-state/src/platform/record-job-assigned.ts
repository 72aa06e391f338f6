import type { Transaction } from '../database/database.js';
import { appendFeedEntries, withdrawFeedEntries } from '../jobs/feed.js';
import { instantOfChange, type JobRecord, lockJob } from '../jobs/job-record.js';
import { renderProjection } from '../jobs/render-projection.js';
import { recordEvent } from '../events/record-event.js';
import type { PlatformEffect } from './platform-effect.js';
import type { JobAssignedCommand } from './platform-messages.js';

/**
 * Gives a job to an installer company. A job that another company has leaves that one: its entries leave that company's
 * feed, and `install.job_unassigned` tells the company. The new company starts from the beginning: status ASSIGNED, without
 * the schedule, technicians and blocker of the one before.
 *
 * The newest assignment by the platform's clock counts, in whatever order they come. Locks: the job, the pair of companies while
 * it is new, last the feed head of the new company.
 */
export async function recordJobAssigned(
  tx: Transaction,
  command: JobAssignedCommand,
  clockNow: Date,
): Promise<PlatformEffect> {
  const { jobId, installerCompanyId, occurredAt } = command;
  const job = await lockJob(tx, jobId);
  if (job === undefined) return { kind: 'early', missing: jobId };
  const [company] = await tx.query<{ class: string }>('select class from companies where id = $1', [
    installerCompanyId,
  ]);
  if (company === undefined) return { kind: 'early', missing: installerCompanyId };
  if (company.class !== 'INSTALLER') {
    return { kind: 'refused', reason: `company ${installerCompanyId} is not an installer company` };
  }
  if (job.assignedAt !== null && occurredAt <= job.assignedAt) {
    return { kind: 'ignored', why: 'a newer assignment is in effect' };
  }
  if (job.installerCompanyId === installerCompanyId) {
    await tx.query('update jobs set assigned_at = $2 where id = $1', [jobId, occurredAt]);
    return { kind: 'ignored', why: 'the company has the job already' };
  }
  if (job.status === 'COMPLETE' || job.status === 'CANCELLED') {
    return {
      kind: 'refused',
      reason: `job ${jobId} is ${job.status} and can not be given to another company`,
    };
  }

  const now = instantOfChange(job, clockNow);
  const previousCompanyId = job.installerCompanyId;
  const assigned: JobRecord = {
    ...job,
    // The first projection of a job is its version 1.
    version: previousCompanyId === null ? job.version : job.version + 1,
    status: 'ASSIGNED',
    installerCompanyId,
    assignedAt: occurredAt,
    blockerCode: null,
    schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
    technicianAssignments: [],
    updatedAt: now,
  };
  const resource = renderProjection(assigned);
  await tx.query(
    `with contracted as (
       insert into contracted_installers (selling_company_id, installer_company_id)
       select selling_company_id, $4 from jobs where id = $1
       on conflict do nothing
     )
     update jobs set version = $2, status = $3, installer_company_id = $4, assigned_at = $5, projection = $6,
       blocker_code = null, schedule_status = 'UNSCHEDULED', schedule_starts_at = null, schedule_ends_at = null,
       schedule_time_zone = null, technician_assignments = '[]', updated_at = $7, last_updated_at = greatest(last_updated_at, $7)
     where id = $1`,
    [jobId, assigned.version, assigned.status, installerCompanyId, occurredAt, resource, now],
  );
  const about = { type: 'install_job', id: jobId, version: assigned.version };
  if (previousCompanyId !== null) {
    await withdrawFeedEntries(tx, previousCompanyId, jobId);
    await recordEvent(tx, {
      companyId: previousCompanyId,
      event: 'install.job_unassigned',
      occurredAt: now,
      resource: about,
      data: { jobId },
      now,
    });
  }
  await recordEvent(tx, {
    companyId: installerCompanyId,
    event: 'install.job_assigned',
    occurredAt: now,
    resource: about,
    data: { jobId, status: assigned.status },
    now,
  });
  await appendFeedEntries(tx, [{ companyId: installerCompanyId, jobId, changedAt: now, resource }]);
  return { kind: 'applied' };
}
