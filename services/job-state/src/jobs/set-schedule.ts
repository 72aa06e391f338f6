import { isDeepStrictEqual } from 'node:util';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobScheduleChangedSchema,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import {
  changeJob,
  type JobWrite,
  type JobWriteDeps,
  type JobWritten,
  messageToPlatform,
} from './change-job.js';
import { shownSchedule } from './render-projection.js';
import { decideScheduleMove, type SubmittedSchedule } from './moves.js';

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
    decide(job, { version, now }) {
      const decision = decideScheduleMove(job.schedule.status, submitted);
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
          status: ScheduleStatus[submitted.status],
          ...(schedule.startsAt === null ? {} : { startsAt: timestampFromDate(schedule.startsAt) }),
          ...(schedule.endsAt === null ? {} : { endsAt: timestampFromDate(schedule.endsAt) }),
          timeZone: submitted.timeZone,
          changedAt: timestampFromDate(now),
        }),
        logFields: { previousStatus },
      };
    },
  });
}
