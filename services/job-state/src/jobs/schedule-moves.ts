import {
  SCHEDULE_STATUS_MOVES,
  type ScheduleStatusName,
  type SubmittableScheduleStatus,
} from '@partner/proto-contracts/resources/job/schedule-status-moves';
import type { JobRecord } from './job-record.js';

/** A schedule as it is submitted. */
export interface SubmittedSchedule {
  readonly status: SubmittableScheduleStatus;
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly timeZone: string;
}

/** Outcome of a submitted schedule. */
export type ScheduleDecision =
  | { readonly kind: 'scheduled'; readonly schedule: JobRecord['schedule'] }
  | { readonly kind: 'transition_not_allowed'; readonly allowed: readonly SubmittableScheduleStatus[] }
  | {
      readonly kind: 'schedule_invalid';
      readonly field: 'startsAt' | 'endsAt';
      /** The rule that the schedule violates. */
      readonly problem: string;
    };

/**
 * Decides on a submitted schedule of a job that is not closed.
 *
 * The status change is checked first, then the times: both are required and the end is after the start, unless the schedule is
 * cancelled, which clears them.
 */
export function decideScheduleMove(from: ScheduleStatusName, submitted: SubmittedSchedule): ScheduleDecision {
  const { status, startsAt, endsAt, timeZone } = submitted;
  const allowed = SCHEDULE_STATUS_MOVES[from];
  if (!allowed.includes(status)) return { kind: 'transition_not_allowed', allowed };
  if (status === 'CANCELLED') {
    return { kind: 'scheduled', schedule: { status, startsAt: null, endsAt: null, timeZone } };
  }
  const violation = scheduleTimesViolation(submitted);
  if (violation !== undefined) return { kind: 'schedule_invalid', ...violation };
  return { kind: 'scheduled', schedule: { status, startsAt, endsAt, timeZone } };
}

/**
 * Returns the violation in the times of a schedule. Both are required and the end is after the start, unless it is cancelled.
 */
export function scheduleTimesViolation({
  status,
  startsAt,
  endsAt,
}: Pick<SubmittedSchedule, 'status' | 'startsAt' | 'endsAt'>):
  { readonly field: 'startsAt' | 'endsAt'; readonly problem: string } | undefined {
  if (status === 'CANCELLED') return undefined;
  if (startsAt === null) return { field: 'startsAt', problem: `is required when status is ${status}` };
  if (endsAt === null) return { field: 'endsAt', problem: `is required when status is ${status}` };
  return endsAt <= startsAt ? { field: 'endsAt', problem: 'must be after startsAt' } : undefined;
}
