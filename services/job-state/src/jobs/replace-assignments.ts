import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { JobAssignmentsChangedSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';
import {
  changeJob,
  type JobWrite,
  type JobWriteDeps,
  type JobWritten,
  messageToPlatform,
} from './change-job.js';

/** The technicians that an installer company assigns to one of its jobs. */
export interface AssignmentsWrite extends JobWrite {
  /** The whole set without duplicates, in display order. Empty: none. */
  readonly membershipIds: readonly string[];
}

/**
 * Replaces all technicians of a job as {@link changeJob} changes a job (spec: Installer v1, assignments).
 *
 * A technician who stays keeps the instant of the first assignment.
 *
 * Fails with `not_found`, `stale_version`, `transition_not_allowed` or `technician_not_assignable`, which is the same for an
 * unknown membership and one of another company. The memberships are locked between the job and the feed head, so that none is
 * deactivated between the check and the commit. A transaction that deactivates a technician and removes assignments must lock
 * the jobs first.
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
    alsoLock: (tx) => lockActiveTechnicians(tx, companyId, membershipIds),
    decide(job, { version, now, locked: assignable }) {
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
        message: messageToPlatform(JobAssignmentsChangedSchema, {
          jobId,
          version,
          companyId,
          membershipIds: [...membershipIds],
          changedAt: timestampFromDate(now),
        }),
      };
    },
  });
}

/** Returns the memberships that are active technicians of the company; they stay so until the transaction ends. */
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
