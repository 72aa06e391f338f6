import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { heldSince, type PlatformState, scheduleInEffect } from '../jobs/platform-state.js';
import type { JobRecord, JobScope, LockedJob } from '../jobs/job-record.js';
import type { PlatformCommand } from './message-type/platform-message-type.js';

export type JobDecision =
  /** The job with the message recorded and its effects applied. */
  | { readonly kind: 'recorded'; readonly after: LockedJob }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Maximum number of recorded assignments, document versions and accepted completions of a job, each.
 *
 * They are all kept, since they decide about late messages, and every message about the job reads them. No job ever needs as
 * many.
 */
const MAX_RECORDED = 1_000;

const UNSCHEDULED = {
  status: 'UNSCHEDULED',
  startsAt: null,
  endsAt: null,
  timeZone: null,
} as const satisfies JobRecord['schedule'];

const ALREADY_RECORDED: JobDecision = { kind: 'ignored', why: 'this version is already recorded' };
const NEWER_IN_EFFECT: JobDecision = { kind: 'ignored', why: 'a newer one is in effect' };

/**
 * Decides on a job's assignment to an installer company, or to none (null). The newest by version wins.
 *
 * A new company starts afresh: status ASSIGNED (CANCELLED stays), no technicians, no blocker, and only the selling side's
 * schedules since then. A company that already has the job keeps its state. A completed job cannot be reassigned. A cancelled
 * one changes hands only by an assignment that is older than the cancellation.
 */
export function decideAssignment(
  job: LockedJob,
  { version, companyId, occurredAt }: PlatformCommand & { readonly companyId: string | null },
): JobDecision {
  const recorded = recordedAssignments(job);
  if (recorded.some((assignment) => assignment.version === version)) return ALREADY_RECORDED;
  if (recorded.length >= MAX_RECORDED) return tooMany(job, 'assignments');
  const cancelledAt = cancelledVersion(job);
  if (cancelledAt !== undefined && version > cancelledAt) {
    return { kind: 'refused', reason: `job ${job.id} is CANCELLED and can no longer be reassigned` };
  }
  const isNewest = version > (recorded.at(-1)?.version ?? 0);
  const changesHands = isNewest && companyId !== job.installerCompanyId;
  if (changesHands && job.status === 'COMPLETE') {
    return { kind: 'refused', reason: `job ${job.id} is COMPLETE and can no longer be reassigned` };
  }
  const assignments = [...recorded, { version, companyId }].sort((a, b) => a.version - b.version);
  const platformState: PlatformState = { ...job.platformState, assignments };
  if (!changesHands) {
    const assignedAt = isNewest && companyId !== null ? occurredAt : job.assignedAt;
    return {
      kind: 'recorded',
      after: { ...job, platformState, assignedAt, schedule: reconsidered(job, platformState) },
    };
  }
  return {
    kind: 'recorded',
    after: {
      ...job,
      platformState: { ...platformState, ownScheduleAt: null },
      installerCompanyId: companyId,
      assignedAt: companyId === null ? null : occurredAt,
      status: job.status === 'CANCELLED' ? 'CANCELLED' : 'ASSIGNED',
      blockerCode: null,
      technicianAssignments: [],
      schedule: scheduleOf(platformState),
    },
  };
}

/** Decides on a cancellation, which is final. A completed job cannot be cancelled. */
export function decideCancellation(job: LockedJob, { version, occurredAt }: PlatformCommand): JobDecision {
  if (job.status === 'COMPLETE') {
    return { kind: 'refused', reason: `job ${job.id} is COMPLETE and cannot be canceled` };
  }
  const cancelledAt = cancelledVersion(job);
  if (cancelledAt !== undefined && cancelledAt <= version) {
    return { kind: 'ignored', why: 'the job is already canceled' };
  }
  const platformState: PlatformState = { ...job.platformState, cancelled: { version, occurredAt } };
  return { kind: 'recorded', after: { ...job, platformState, status: 'CANCELLED', blockerCode: null } };
}

/** Decides on the scope of the installation: the newest by version wins. Its own number must increase. */
export function decideScope(
  job: LockedJob,
  { version, scope }: PlatformCommand & { readonly scope: JobScope },
): JobDecision {
  if (version === job.platformState.scope) return ALREADY_RECORDED;
  if (version < job.platformState.scope) return NEWER_IN_EFFECT;
  if (scope.scopeVersion <= job.scope.scopeVersion) {
    return {
      kind: 'refused',
      reason: `scope ${scope.scopeVersion} of job ${job.id} does not follow scope ${job.scope.scopeVersion}`,
    };
  }
  return {
    kind: 'recorded',
    after: { ...job, platformState: { ...job.platformState, scope: version }, scope },
  };
}

/** Decides on the selling side's readiness: the newest by version wins. */
export function decideReadiness(
  job: LockedJob,
  { version, ready, blockerCodes }: PlatformCommand & JobRecord['readiness'],
): JobDecision {
  if (version === job.platformState.readiness) return ALREADY_RECORDED;
  if (version < job.platformState.readiness) return NEWER_IN_EFFECT;
  const platformState: PlatformState = { ...job.platformState, readiness: version };
  return { kind: 'recorded', after: { ...job, platformState, readiness: { ready, blockerCodes } } };
}

/**
 * Decides on a schedule of the selling side: the newest by version wins.
 *
 * It has no effect if the job has changed hands since, or its company has set a schedule after it happened. Unlike an installer
 * company, the selling side may change any state to any other, since a message in between may not have arrived. A schedule of a
 * closed job is refused, but one that is only late counts: for a cancelled job if its version is older than the cancellation,
 * for a completed one if it happened before the completion was recorded.
 */
export function decideSchedule(
  job: LockedJob,
  given: PlatformCommand & Omit<NonNullable<PlatformState['schedule']>, 'version'>,
): JobDecision {
  const { version, status, startsAt, endsAt, timeZone, occurredAt } = given;
  const known = job.platformState.schedule?.version ?? 0;
  if (version === known) return ALREADY_RECORDED;
  if (version < known) return NEWER_IN_EFFECT;
  const cancelledAt = cancelledVersion(job);
  const isAfterCancellation = cancelledAt !== undefined && version > cancelledAt;
  // A schedule older than the assignment to the completing company also predates the completion.
  const isAfterCompletion =
    job.status === 'COMPLETE' &&
    version > heldSince(job.platformState) &&
    (job.completedAt === null || occurredAt > job.completedAt);
  if (isAfterCancellation || isAfterCompletion) {
    return {
      kind: 'refused',
      reason: `the schedule of job ${job.id}, which is ${job.status}, cannot be changed`,
    };
  }
  const platformState: PlatformState = {
    ...job.platformState,
    schedule: { version, status, startsAt, endsAt, timeZone },
  };
  const { ownScheduleAt } = platformState;
  const isSetSince = ownScheduleAt !== null && occurredAt < ownScheduleAt;
  const schedule =
    scheduleInEffect(platformState) === null || isSetSince ? job.schedule : scheduleOf(platformState);
  return { kind: 'recorded', after: { ...job, platformState, schedule } };
}

/** Decides on a document that can be downloaded: the newest version of each document is shown. */
export function decideDocument(
  job: LockedJob,
  given: PlatformCommand & {
    readonly documentId: string;
    readonly category: JobRecord['documents'][number]['category'];
    readonly mime: string;
  },
): JobDecision {
  const { version, documentId, category, mime, occurredAt } = given;
  const recorded = job.platformState.documents;
  if (recorded.some((document) => document.id === documentId && document.version === version))
    return ALREADY_RECORDED;
  if (recorded.length >= MAX_RECORDED) return tooMany(job, 'versions of documents');
  const document = {
    id: documentId,
    version,
    category,
    mime,
    availableAt: formatDateTime(occurredAt),
    isNotified: false,
  };
  const all = [...recorded, document].sort((a, b) => a.version - b.version || (a.id < b.id ? -1 : 1));
  // In the order of the newest version of each document.
  const newest = new Map<string, (typeof all)[number]>();
  for (const document of all) {
    newest.delete(document.id);
    newest.set(document.id, document);
  }
  const documents = [
    // Documents that were stored without a message.
    ...job.documents.filter(({ id }) => !newest.has(id)),
    ...[...newest.values()].map(({ id, category: shown, mime: shownMime, availableAt }) => ({
      id,
      category: shown,
      mime: shownMime,
      availableAt,
    })),
  ];
  return {
    kind: 'recorded',
    after: { ...job, platformState: { ...job.platformState, documents: all }, documents },
  };
}

/** Decides on an accepted completion report: the job stays unchanged, and its installer company is notified. */
export function decideCompletion(job: LockedJob, { version, occurredAt }: PlatformCommand): JobDecision {
  const recorded = job.platformState.completions;
  if (recorded.some((completion) => completion.version === version)) return ALREADY_RECORDED;
  if (recorded.length >= MAX_RECORDED) return tooMany(job, 'accepted completions');
  const completion = { version, acceptedAt: formatDateTime(occurredAt), isNotified: false };
  const completions = [...recorded, completion].sort((a, b) => a.version - b.version);
  return { kind: 'recorded', after: { ...job, platformState: { ...job.platformState, completions } } };
}

function tooMany({ id }: LockedJob, what: string): JobDecision {
  return { kind: 'refused', reason: `job ${id} already has the maximum of ${MAX_RECORDED} ${what}` };
}

/** The recorded assignments. A state without a message counts as version 0. */
function recordedAssignments({ platformState, installerCompanyId }: LockedJob): PlatformState['assignments'] {
  return platformState.assignments.length > 0 || installerCompanyId === null
    ? platformState.assignments
    : [{ version: 0, companyId: installerCompanyId }];
}

function cancelledVersion({ status, platformState }: LockedJob): number | undefined {
  return platformState.cancelled?.version ?? (status === 'CANCELLED' ? 0 : undefined);
}

function scheduleOf(platformState: PlatformState): JobRecord['schedule'] {
  const recorded = scheduleInEffect(platformState);
  if (recorded === null) return UNSCHEDULED;
  const { status, startsAt, endsAt, timeZone } = recorded;
  return { status, startsAt, endsAt, timeZone };
}

/**
 * The schedule of a job that stays with its company after a late assignment message.
 *
 * The message may show that another company had the job before, or this one for longer: then other schedules of the selling
 * side count. A schedule that the company has set since stays.
 */
function reconsidered(job: LockedJob, platformState: PlatformState): JobRecord['schedule'] {
  const [was, is] = [scheduleOf(job.platformState), scheduleOf(platformState)];
  return isSameSchedule(job.schedule, was) ? is : job.schedule;
}

function isSameSchedule(a: JobRecord['schedule'], b: JobRecord['schedule']): boolean {
  return (
    a.status === b.status &&
    a.startsAt?.getTime() === b.startsAt?.getTime() &&
    a.endsAt?.getTime() === b.endsAt?.getTime() &&
    a.timeZone === b.timeZone
  );
}
