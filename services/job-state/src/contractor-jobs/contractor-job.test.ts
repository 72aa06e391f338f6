import { expect, test } from '@jest/globals';
import { JOB_STATUSES, SCHEDULE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import { contractorJobStage } from './contractor-job.js';

/** The stage for each schedule, in the order UNSCHEDULED, TENTATIVE, CONFIRMED, CANCELLED. */
const STAGES = {
  ASSIGNED: ['SOLD', 'SCHEDULED', 'SCHEDULED', 'SOLD'],
  ACKNOWLEDGED: ['SOLD', 'SCHEDULED', 'SCHEDULED', 'SOLD'],
  EN_ROUTE: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  ON_SITE: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  BLOCKED: ['BLOCKED', 'BLOCKED', 'BLOCKED', 'BLOCKED'],
  IN_PROGRESS: ['IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS', 'IN_PROGRESS'],
  COMPLETE: ['COMPLETE', 'COMPLETE', 'COMPLETE', 'COMPLETE'],
  CANCELLED: ['CANCELLED', 'CANCELLED', 'CANCELLED', 'CANCELLED'],
} as const;

test.each(JOB_STATUSES)(
  'a job that is %s has the stage of the table for any schedule [CONTRACTOR-5]',
  (status) => {
    const order = ['UNSCHEDULED', 'TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;
    expect([...SCHEDULE_STATUSES].sort()).toEqual([...order].sort());
    expect(order.map((schedule) => contractorJobStage(status, schedule))).toEqual(STAGES[status]);
  },
);
