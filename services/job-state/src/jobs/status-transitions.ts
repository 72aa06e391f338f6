import type { JobStatusName, REPORTABLE_STATUSES } from '@partner/proto-contracts/public-api/installer-job';

/** A status that an installer may report. */
export type ReportableStatus = (typeof REPORTABLE_STATUSES)[number];

/** The moves that an installer may report, by the status that the job has (spec: States and transitions). */
export const STATUS_MOVES: Readonly<Record<JobStatusName, readonly ReportableStatus[]>> = {
  ASSIGNED: ['ACKNOWLEDGED', 'BLOCKED'],
  ACKNOWLEDGED: ['EN_ROUTE', 'ON_SITE', 'BLOCKED'],
  EN_ROUTE: ['ON_SITE', 'BLOCKED'],
  ON_SITE: ['IN_PROGRESS', 'EN_ROUTE', 'BLOCKED'],
  IN_PROGRESS: ['COMPLETE', 'EN_ROUTE', 'BLOCKED'],
  BLOCKED: ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS'],
  COMPLETE: [],
  CANCELLED: [],
};

/** What becomes of a reported status. */
export type StatusDecision =
  | { readonly kind: 'moved'; readonly version: number; readonly previousStatus: JobStatusName }
  | { readonly kind: 'stale_version'; readonly currentVersion: number }
  | {
      readonly kind: 'transition_not_allowed';
      readonly currentStatus: JobStatusName;
      readonly allowed: readonly ReportableStatus[];
    };

/**
 * Decides a status event. The version is judged first: a caller who has not read the present state can not know which moves
 * it allows.
 */
export function decideStatusMove(
  job: { readonly version: number; readonly status: JobStatusName },
  event: { readonly status: ReportableStatus; readonly expectedVersion: number },
): StatusDecision {
  if (event.expectedVersion !== job.version) return { kind: 'stale_version', currentVersion: job.version };
  const allowed = STATUS_MOVES[job.status];
  if (!allowed.includes(event.status)) {
    return { kind: 'transition_not_allowed', currentStatus: job.status, allowed };
  }
  return { kind: 'moved', version: job.version + 1, previousStatus: job.status };
}
