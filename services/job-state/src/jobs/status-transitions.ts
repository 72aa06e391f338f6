import type { JobStatusName } from '@partner/proto-contracts/resources/job/job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/resources/job/job-status-moves';

/** Outcome of a reported status. */
export type StatusDecision =
  | { readonly kind: 'moved' }
  | { readonly kind: 'transition_not_allowed'; readonly allowed: readonly ReportableStatus[] };

/** Decides whether an installer may change a job from one status to another. The same status again is no transition. */
export function decideStatusMove(from: JobStatusName, to: ReportableStatus): StatusDecision {
  const allowed = JOB_STATUS_MOVES[from];
  return allowed.includes(to) ? { kind: 'moved' } : { kind: 'transition_not_allowed', allowed };
}
