import type { ContractorJob } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { InstallerJob } from '@partner/proto-contracts/resources/job/job';
import { JOB_STATUS_MOVES } from '@partner/proto-contracts/resources/job/job-status-moves';
import { SCHEDULE_STATUS_MOVES } from '@partner/proto-contracts/resources/job/schedule-status-moves';
import type { JobWrite } from './requests.js';
import type { JobState } from './state.js';

/** What the rules make of a write at the current version. */
type Verdict =
  | { readonly kind: 'changed'; readonly job: JobState }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly currentStatus?: string;
      readonly allowed?: readonly string[];
    };

/** Applies a write at the current version of a job. `technicians` are the active ones of its installer company. */
export function judge(job: JobState, write: JobWrite, technicians: ReadonlySet<string>): Verdict {
  const next = { ...job, version: job.version + 1 };
  if (job.status === 'COMPLETE') return notAllowed(job.status, []);
  switch (write.kind) {
    case 'status': {
      const allowed = JOB_STATUS_MOVES[job.status];
      if (!allowed.some((status) => status === write.status)) return notAllowed(job.status, allowed);
      return changed({ ...next, status: write.status, blockerCode: write.blockerCode ?? null });
    }
    case 'schedule': {
      const { status, startsAt, endsAt, timeZone } = write;
      const allowed = SCHEDULE_STATUS_MOVES[job.schedule.status];
      if (!allowed.includes(status)) return notAllowed(job.schedule.status, allowed);
      if (status === 'CANCELLED') {
        return changed({ ...next, schedule: { status, startsAt: null, endsAt: null, timeZone } });
      }
      if (startsAt === null || endsAt === null || endsAt <= startsAt) {
        return { kind: 'refused', code: 'schedule_invalid' };
      }
      return changed({ ...next, schedule: { status, startsAt, endsAt, timeZone } });
    }
    case 'assignments':
      return write.membershipIds.every((id) => technicians.has(id))
        ? changed({ ...next, membershipIds: write.membershipIds })
        : { kind: 'refused', code: 'technician_not_assignable' };
  }
}

function changed(job: JobState): Verdict {
  return { kind: 'changed', job };
}

function notAllowed(currentStatus: string, allowed: readonly string[]): Verdict {
  return { kind: 'refused', code: 'transition_not_allowed', currentStatus, allowed };
}

/** The readiness that an installer sees: the seller's view and the installer's own blocker in one. */
export function readinessOf(
  { blockerCode }: Pick<JobState, 'blockerCode'>,
  seller: InstallerJob['readiness'],
): InstallerJob['readiness'] {
  const codes = new Set([...seller.blockerCodes, ...(blockerCode === null ? [] : [blockerCode])]);
  return { ready: seller.ready && blockerCode === null, blockerCodes: [...codes] };
}

/** The progress of a job in the seller's words. */
export function stageOf({ status, schedule }: Pick<JobState, 'status' | 'schedule'>): ContractorJob['stage'] {
  if (status === 'BLOCKED' || status === 'COMPLETE' || status === 'CANCELLED') return status;
  if (status !== 'ASSIGNED' && status !== 'ACKNOWLEDGED') return 'IN_PROGRESS';
  return schedule.status === 'TENTATIVE' || schedule.status === 'CONFIRMED' ? 'SCHEDULED' : 'SOLD';
}
