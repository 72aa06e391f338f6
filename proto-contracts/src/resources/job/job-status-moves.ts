import type { JobStatusName, REPORTABLE_STATUSES } from './job.js';

export type ReportableStatus = (typeof REPORTABLE_STATUSES)[number];

/** Transitions that an installer may report, by current job status (spec: States and transitions). */
export const JOB_STATUS_MOVES: Readonly<Record<JobStatusName, readonly ReportableStatus[]>> = {
  ASSIGNED: ['ACKNOWLEDGED', 'BLOCKED'],
  ACKNOWLEDGED: ['EN_ROUTE', 'ON_SITE', 'BLOCKED'],
  EN_ROUTE: ['ON_SITE', 'BLOCKED'],
  ON_SITE: ['IN_PROGRESS', 'EN_ROUTE', 'BLOCKED'],
  IN_PROGRESS: ['COMPLETE', 'EN_ROUTE', 'BLOCKED'],
  BLOCKED: ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS'],
  COMPLETE: [],
  CANCELLED: [],
};
