import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobAssignmentsChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { ServiceError } from '@partner/kernel/service-error';
import type { Queryable } from '../database/database.js';
import { changeJob, type JobWrite, type JobWriteDeps, type JobWritten } from './change-job.js';

/** The technicians whom an installer company puts on one of its jobs. */
export interface AssignmentsWrite extends JobWrite {
  /** The whole set, each once, in the order to be shown. Empty: nobody. */
  readonly membershipIds: readonly string[];
}

/**
 * Replaces all technicians of a job as {@link changeJob} changes a job (spec: Installer v1, assignments). Whoever stays keeps
 * the instant of the first assignment.
 *
 * Fails with `not_found`, `stale_version`, `transition_not_allowed` or `technician_not_assignable`, which does not tell an unknown membership from one of
 * another company. The memberships are locked too, between the job and the feed head, so that none of them is deactivated
 * between the look at it and the commit; whoever deactivates one and takes it off jobs has to lock the jobs first.
 */
export function replaceAssignments(deps: JobWriteDeps, write: AssignmentsWrite): Promise<JobWritten> {
  const { companyId, jobId, membershipIds } = write;
  return changeJob(deps, write, {
    log: {
      done: 'job.assignments_replaced',
      refused: 'job.assignments_refused',
      fields: { technicians: membershipIds.length },
    },
    what: 'assignments',
    schema: JobAssignmentsChangedSchema,
    async decide(job, { version, now, tx }) {
      const assignable = await lockActiveTechnicians(tx, companyId, membershipIds);
      const wrong = [...membershipIds.entries()].filter(([, membershipId]) => !assignable.has(membershipId));
      if (wrong.length > 0) {
        const fields = wrong.map(([place]) => `membershipIds.${place}`).join(', ');
        return {
          kind: 'refused',
          refusal: new ServiceError(
            'technician_not_assignable',
            `${fields}: must be an active technician of the company`,
          ),
        };
      }
      const assignedSince = new Map(
        job.technicianAssignments.map(({ membershipId, assignedAt }) => [membershipId, assignedAt]),
      );
      const technicianAssignments = membershipIds.map((membershipId) => ({
        membershipId,
        assignedAt: assignedSince.get(membershipId) ?? formatDateTime(now),
      }));
      return {
        kind: 'changed',
        fields: { technicianAssignments },
        events: [],
        message: {
          jobId,
          version,
          companyId,
          membershipIds: [...membershipIds],
          changedAt: timestampFromDate(now),
        },
      };
    },
  });
}

/** Those of the memberships that are active technicians of the company; they stay so until the transaction ends. */
async function lockActiveTechnicians(
  tx: Queryable,
  companyId: string,
  membershipIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(
    `select id from memberships where id = any($1) and company_id = $2 and role = 'TECHNICIAN' and active
     order by id for share`,
    [membershipIds, companyId],
  );
  return new Set(rows.map(({ id }) => id));
}
