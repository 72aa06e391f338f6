import type { ContractorJob } from '@partner/proto-contracts/public-api/contractor-job';
import type { InstallerJob, JobStatusName } from '@partner/proto-contracts/public-api/installer-job';
import type { JobWrite, Write } from './history.js';

type ReportedStatus = Extract<Write, { readonly kind: 'status' }>['status'];
type ScheduleStatus = InstallerJob['schedule']['status'];

/** The part of a job that changes, as the rules alone make it. Written apart from the service, out of decisions. */
export interface JobState {
  readonly version: number;
  readonly installerId: string | null;
  readonly status: JobStatusName;
  readonly blockerCode: string | null;
  readonly schedule: InstallerJob['schedule'];
  readonly membershipIds: readonly string[];
}

/** What the rules make of a write to a job that the caller sees, at the version that the caller names. */
export type Verdict =
  | { readonly kind: 'changed'; readonly state: JobState }
  | {
      readonly kind: 'refused';
      readonly code: 'transition_not_allowed';
      readonly currentStatus: string;
      readonly allowed: readonly string[];
    }
  | { readonly kind: 'refused'; readonly code: 'schedule_invalid' | 'technician_not_assignable' };

const STATUS_TABLE: Readonly<Record<JobStatusName, readonly ReportedStatus[]>> = {
  ASSIGNED: ['ACKNOWLEDGED', 'BLOCKED'],
  ACKNOWLEDGED: ['EN_ROUTE', 'ON_SITE', 'BLOCKED'],
  EN_ROUTE: ['ON_SITE', 'BLOCKED'],
  ON_SITE: ['IN_PROGRESS', 'EN_ROUTE', 'BLOCKED'],
  IN_PROGRESS: ['COMPLETE', 'EN_ROUTE', 'BLOCKED'],
  BLOCKED: ['ACKNOWLEDGED', 'EN_ROUTE', 'ON_SITE', 'IN_PROGRESS'],
  COMPLETE: [],
  CANCELLED: [],
};

const SCHEDULE_TABLE: Readonly<Record<ScheduleStatus, readonly ScheduleStatus[]>> = {
  UNSCHEDULED: ['TENTATIVE', 'CONFIRMED'],
  TENTATIVE: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CONFIRMED: ['TENTATIVE', 'CONFIRMED', 'CANCELLED'],
  CANCELLED: ['TENTATIVE', 'CONFIRMED'],
};

/** The statuses that an installer may report next. */
export function allowedStatuses(status: JobStatusName): readonly ReportedStatus[] {
  return STATUS_TABLE[status];
}

/** A job that has just been given to an installer, or to nobody yet, at its version. */
export function assignedState(version: number, installerId: string | null): JobState {
  return {
    version,
    installerId,
    status: 'ASSIGNED',
    blockerCode: null,
    schedule: { status: 'UNSCHEDULED', startsAt: null, endsAt: null, timeZone: null },
    membershipIds: [],
  };
}

/** Applies a write. `technicians` are the ids of the active technicians of the company that writes. */
export function judge(state: JobState, write: JobWrite, technicians: ReadonlySet<string>): Verdict {
  const next = { ...state, version: state.version + 1 };
  if (state.status === 'COMPLETE' || state.status === 'CANCELLED') {
    return { kind: 'refused', code: 'transition_not_allowed', currentStatus: state.status, allowed: [] };
  }
  switch (write.kind) {
    case 'status': {
      const allowed = STATUS_TABLE[state.status];
      if (!allowed.includes(write.status)) {
        return { kind: 'refused', code: 'transition_not_allowed', currentStatus: state.status, allowed };
      }
      return {
        kind: 'changed',
        state: { ...next, status: write.status, blockerCode: write.blockerCode ?? null },
      };
    }
    case 'schedule':
      return judgeSchedule(state, next, write);
    case 'assignments':
      return write.membershipIds.every((id) => technicians.has(id))
        ? { kind: 'changed', state: { ...next, membershipIds: write.membershipIds } }
        : { kind: 'refused', code: 'technician_not_assignable' };
  }
}

function judgeSchedule(
  state: JobState,
  next: JobState,
  write: Extract<JobWrite, { readonly kind: 'schedule' }>,
): Verdict {
  const { status, timeZone } = write;
  const allowed = SCHEDULE_TABLE[state.schedule.status];
  if (!allowed.includes(status)) {
    return {
      kind: 'refused',
      code: 'transition_not_allowed',
      currentStatus: state.schedule.status,
      allowed,
    };
  }
  if (status === 'CANCELLED') {
    return {
      kind: 'changed',
      state: { ...next, schedule: { status, startsAt: null, endsAt: null, timeZone } },
    };
  }
  if (write.startsAt === null || write.endsAt === null) return { kind: 'refused', code: 'schedule_invalid' };
  const startsAt = new Date(write.startsAt).toISOString();
  const endsAt = new Date(write.endsAt).toISOString();
  if (endsAt <= startsAt) return { kind: 'refused', code: 'schedule_invalid' };
  return { kind: 'changed', state: { ...next, schedule: { status, startsAt, endsAt, timeZone } } };
}

/** What an installer sees of whether work can go on: the selling side's view and the installer's blocker in one. */
export function readinessOf(
  { blockerCode }: Pick<JobState, 'blockerCode'>,
  sellers: InstallerJob['readiness'],
): InstallerJob['readiness'] {
  const codes = new Set([...sellers.blockerCodes, ...(blockerCode === null ? [] : [blockerCode])]);
  return { ready: sellers.ready && blockerCode === null, blockerCodes: [...codes] };
}

/** How far a job is, in the words of those who sold it. */
export function stageOf({ status, schedule }: Pick<JobState, 'status' | 'schedule'>): ContractorJob['stage'] {
  if (status === 'BLOCKED' || status === 'COMPLETE' || status === 'CANCELLED') return status;
  if (status !== 'ASSIGNED' && status !== 'ACKNOWLEDGED') return 'IN_PROGRESS';
  return schedule.status === 'TENTATIVE' || schedule.status === 'CONFIRMED' ? 'SCHEDULED' : 'SOLD';
}
