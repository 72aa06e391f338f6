import type { SUBMITTABLE_SCHEDULE_STATUSES } from './job-writes.js';
import type { SCHEDULE_STATUSES } from './job.js';

export type ScheduleStatusName = (typeof SCHEDULE_STATUSES)[number];

export type SubmittableScheduleStatus = (typeof SUBMITTABLE_SCHEDULE_STATUSES)[number];

/** Transitions that an installer may submit, by current schedule status (spec: States and transitions). */
export const SCHEDULE_STATUS_MOVES: Readonly<
  Record<ScheduleStatusName, readonly SubmittableScheduleStatus[]>
> = {
  UNSCHEDULED: ['TENTATIVE', 'CONFIRMED'],
  TENTATIVE: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CANCELLED: ['TENTATIVE', 'CONFIRMED'],
};
