import { isDeepStrictEqual } from 'node:util';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobAssignmentsChangedSchema,
  JobScheduleChangedSchema,
  JobStatus,
  JobStatusChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { occurredAtProblem } from '@partner/proto-contracts/resources/job/job-writes';
import {
  recordStatusEventOperation,
  replaceAssignmentsOperation,
  setScheduleOperation,
} from '@partner/proto-contracts/resources/job/operations';
import { implement } from '@partner/kernel/amqp/implement';
import { ServiceError } from '@partner/kernel/process/service-error';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import type { WriteDeps } from '../idempotency/run-idempotent.js';
import { changeJob, messageToPlatform } from './change-job.js';
import { decideScheduleMove, statusRefusal } from './moves.js';
import { shownSchedule } from './render-projection.js';

/**
 * Changes a job's status as {@link changeJob} changes a job (spec: Installer v1, status-events).
 *
 * Fails with `invalid_argument` if `occurredAt` is too far from now, skipped for repeats of a known key. Then fails with
 * `not_found`, `stale_version` or `transition_not_allowed`.
 */
export const recordStatusEvent = (deps: WriteDeps) =>
  implement(recordStatusEventOperation, (request) => {
    const { companyId, params, body } = request;
    const jobId = params.id;
    const { status, note = null, blockerCode = null } = body;
    const occurredAt = new Date(body.occurredAt);
    return changeJob(deps, request, {
      log: { done: 'job.status_recorded', refused: 'job.status_refused', fields: { status } },
      what: 'status events',
      check(now) {
        const problem = occurredAtProblem(occurredAt, now);
        if (problem !== undefined) throw invalidArgument([{ path: 'occurredAt', message: problem }]);
      },
      decide({ status: previousStatus }, { version }) {
        const refusal = statusRefusal(previousStatus, status);
        if (refusal !== undefined) return { kind: 'refused', refusal };
        return {
          kind: 'changed',
          fields: { status, blockerCode },
          statusEvent: { occurredAt, note },
          events: [
            {
              event: 'install.status_changed',
              data: {
                jobId,
                previousStatus,
                status,
                occurredAt: formatDateTime(occurredAt),
                note,
                blockerCode,
              },
            },
          ],
          message: messageToPlatform(JobStatusChangedSchema, {
            jobId,
            version,
            previousStatus: JobStatus[previousStatus],
            status: JobStatus[status],
            occurredAt: timestampFromDate(occurredAt),
            companyId,
            ...(note === null ? {} : { note }),
            ...(blockerCode === null ? {} : { blockerCode }),
          }),
          logFields: { previousStatus },
        };
      },
    });
  });

/**
 * Sets or cancels a job's schedule as {@link changeJob} changes a job (spec: Installer v1, schedule).
 *
 * It emits `install.schedule_changed` unless the schedule stays the same.
 *
 * Fails with `not_found`, `stale_version`, `transition_not_allowed` or `schedule_invalid`.
 */
export const setSchedule = (deps: WriteDeps) =>
  implement(setScheduleOperation, (request) => {
    const { companyId, params, body } = request;
    const jobId = params.id;
    const { status, timeZone } = body;
    const times = { startsAt: instantOf(body.startsAt), endsAt: instantOf(body.endsAt) };
    return changeJob(deps, request, {
      log: {
        done: 'job.schedule_set',
        refused: 'job.schedule_refused',
        fields: { scheduleStatus: status },
      },
      what: 'schedules',
      decide(job, { version, now }) {
        const decision = decideScheduleMove(job.schedule.status, { status, timeZone, ...times });
        if (decision.kind === 'refused') return decision;
        const { schedule } = decision;
        const shown = shownSchedule(schedule);
        const previousStatus = job.schedule.status;
        const isSame = isDeepStrictEqual(shown, shownSchedule(job.schedule));
        return {
          kind: 'changed',
          fields: { schedule, platformState: { ...job.platformState, ownScheduleAt: now } },
          events: isSame
            ? []
            : [
                {
                  event: 'install.schedule_changed',
                  data: { jobId, changedBy: 'installer', previousStatus, schedule: shown },
                },
              ],
          message: messageToPlatform(JobScheduleChangedSchema, {
            jobId,
            version,
            companyId,
            previousStatus: ScheduleStatus[previousStatus],
            status: ScheduleStatus[status],
            ...(schedule.startsAt === null ? {} : { startsAt: timestampFromDate(schedule.startsAt) }),
            ...(schedule.endsAt === null ? {} : { endsAt: timestampFromDate(schedule.endsAt) }),
            timeZone,
            changedAt: timestampFromDate(now),
          }),
          logFields: { previousStatus },
        };
      },
    });
  });

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
export const replaceAssignments = (deps: WriteDeps) =>
  implement(replaceAssignmentsOperation, (request) => {
    const {
      companyId,
      params: { id: jobId },
      body: { membershipIds },
    } = request;
    return changeJob(deps, request, {
      log: {
        done: 'job.assignments_replaced',
        refused: 'job.assignments_refused',
        fields: { technicians: membershipIds.length },
      },
      what: 'assignments',
      alsoLock: (tx) => lockActiveTechnicians(tx, companyId, membershipIds),
      decide(job, { version, now, locked: assignable }) {
        const wrong = [...membershipIds.entries()].filter(
          ([, membershipId]) => !assignable.has(membershipId),
        );
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
  });

function instantOf(dateTime: string | null): Date | null {
  return dateTime === null ? null : new Date(dateTime);
}

const LOCK_ACTIVE_TECHNICIANS: PreparedStatement = {
  name: 'lock-active-technicians',
  text: `select id from memberships where id = any($1) and company_id = $2 and role = 'TECHNICIAN' and active
     order by id for share`,
};

/** Returns the memberships that are active technicians of the company; they stay so until the transaction ends. */
async function lockActiveTechnicians(
  tx: Queryable,
  companyId: string,
  membershipIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ id: string }>(LOCK_ACTIVE_TECHNICIANS, [membershipIds, companyId]);
  return new Set(rows.map(({ id }) => id));
}
