import type { JobStatusName } from '@partner/proto-contracts/public-api/installer-job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/public-api/job-status-moves';

/** What becomes of a reported status. */
export type StatusDecision =
  | { readonly kind: 'moved' }
  | { readonly kind: 'transition_not_allowed'; readonly allowed: readonly ReportableStatus[] };

/** Decides whether an installer may move a job from one status to another. A move to the same status is none. */
export function decideStatusMove(from: JobStatusName, to: ReportableStatus): StatusDecision {
  const allowed = JOB_STATUS_MOVES[from];
  return allowed.includes(to) ? { kind: 'moved' } : { kind: 'transition_not_allowed', allowed };
}
