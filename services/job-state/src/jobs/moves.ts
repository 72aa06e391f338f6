import type { JobStatusName } from '@partner/proto-contracts/resources/job/job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/resources/job/job-status-moves';
import {
  SCHEDULE_STATUS_MOVES,
  type ScheduleStatusName,
  type SubmittableScheduleStatus,
} from '@partner/proto-contracts/resources/job/schedule-status-moves';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { JobRecord } from './job-record.js';

export interface SubmittedSchedule {
  readonly status: SubmittableScheduleStatus;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly timeZone: string;
}

/** Why an installer may not change a job from one status to another, if so. The same status again is no transition. */
export function statusRefusal(from: JobStatusName, to: ReportableStatus): ServiceError | undefined {
  const allowed = JOB_STATUS_MOVES[from];
  return allowed.includes(to) ? undefined : transitionNotAllowed('job', { from, to, allowed });
}

/**
 * Decides on a submitted schedule of a job that is not closed.
 *
 * The status change is checked first, then the times: both are required and the end is after the start, unless the schedule is
 * cancelled, which clears them.
 */
export function decideScheduleMove(
  from: ScheduleStatusName,
  submitted: SubmittedSchedule,
):
  | { readonly kind: 'scheduled'; readonly schedule: JobRecord['schedule'] }
  | { readonly kind: 'refused'; readonly refusal: ServiceError } {
  const { status: to, startsAt, endsAt, timeZone } = submitted;
  const allowed = SCHEDULE_STATUS_MOVES[from];
  if (!allowed.includes(to)) {
    return { kind: 'refused', refusal: transitionNotAllowed('schedule', { from, to, allowed }) };
  }
  const violation = scheduleTimesViolation(submitted);
  if (violation !== undefined) {
    const refusal = new ServiceError('schedule_invalid', `${violation.field}: ${violation.problem}`);
    return { kind: 'refused', refusal };
  }
  const times = to === 'CANCELLED' ? { startsAt: null, endsAt: null } : { startsAt, endsAt };
  return { kind: 'scheduled', schedule: { status: to, ...times, timeZone } };
}

/**
 * Returns the violation in the times of a schedule. Both are required and the end is after the start, unless it is cancelled.
 */
export function scheduleTimesViolation({
  status,
  startsAt,
  endsAt,
}: Pick<SubmittedSchedule, 'status' | 'startsAt' | 'endsAt'>):
  | { readonly field: 'startsAt' | 'endsAt'; readonly problem: string }
  | undefined {
  if (status === 'CANCELLED') return undefined;
  if (startsAt === null) return { field: 'startsAt', problem: `is required when status is ${status}` };
  if (endsAt === null) return { field: 'endsAt', problem: `is required when status is ${status}` };
  return endsAt <= startsAt ? { field: 'endsAt', problem: 'must be after startsAt' } : undefined;
}

function transitionNotAllowed(
  what: 'job' | 'schedule',
  move: { readonly from: string; readonly to: string; readonly allowed: readonly string[] },
): ServiceError {
  const { from, to, allowed } = move;
  return new ServiceError(
    'transition_not_allowed',
    `a ${what} that is ${from} cannot move to ${to}; it can move to: ${allowed.join(', ')}`,
    { currentStatus: from, allowed },
  );
}
