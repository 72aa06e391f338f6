import { isDeepStrictEqual } from 'node:util';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobScheduleChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import type { SubmittableScheduleStatus } from '@partner/proto-contracts/resources/job/schedule-status-moves';
import { assertNever } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { changeJob, type JobWrite, type JobWriteDeps, type JobWritten } from './change-job.js';
import type { JobRecord } from './job-record.js';
import { shownSchedule } from './render-projection.js';
import { decideScheduleMove, type ScheduleDecision, type SubmittedSchedule } from './schedule-moves.js';
import { transitionNotAllowed } from './transition-not-allowed.js';

/** A schedule that an installer company sets on one of its jobs. */
export interface ScheduleWrite extends JobWrite {
  readonly submitted: SubmittedSchedule;
}

/**
 * Sets or cancels a job's schedule as {@link changeJob} changes a job (spec: Installer v1, schedule).
 *
 * It emits `install.schedule_changed` unless the schedule stays the same.
 *
 * Fails with `not_found`, `stale_version`, `transition_not_allowed` or `schedule_invalid`.
 */
export function setSchedule(deps: JobWriteDeps, write: ScheduleWrite): Promise<JobWritten> {
  const { companyId, jobId, submitted } = write;
  return changeJob(deps, write, {
    log: {
      done: 'job.schedule_set',
      refused: 'job.schedule_refused',
      fields: { scheduleStatus: submitted.status },
    },
    what: 'schedules',
    schema: JobScheduleChangedSchema,
    locksJobAlone: true,
    load: () => Promise.resolve(),
    decide(job, { version, now }) {
      const decision = decideScheduleMove(job.schedule.status, submitted);
      if (decision.kind !== 'scheduled') {
        return { kind: 'refused', refusal: refusalOf(decision, job, submitted.status) };
      }
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
        message: {
          jobId,
          version,
          companyId,
          previousStatus: ScheduleStatus[previousStatus],
          status: ScheduleStatus[submitted.status],
          ...(schedule.startsAt === null ? {} : { startsAt: timestampFromDate(schedule.startsAt) }),
          ...(schedule.endsAt === null ? {} : { endsAt: timestampFromDate(schedule.endsAt) }),
          timeZone: submitted.timeZone,
          changedAt: timestampFromDate(now),
        },
        logFields: { previousStatus },
      };
    },
  });
}

function refusalOf(
  decision: Exclude<ScheduleDecision, { kind: 'scheduled' }>,
  job: Pick<JobRecord, 'schedule'>,
  to: SubmittableScheduleStatus,
): ServiceError {
  switch (decision.kind) {
    case 'transition_not_allowed':
      return transitionNotAllowed('schedule', { from: job.schedule.status, to, allowed: decision.allowed });
    case 'schedule_invalid':
      return new ServiceError('schedule_invalid', `${decision.field}: ${decision.problem}`);
    default:
      return assertNever(decision);
  }
}
