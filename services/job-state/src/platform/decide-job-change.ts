import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { heldSince, type JobHeard, scheduleInEffect } from '../jobs/job-heard.js';
import type { JobRecord, JobScope, LockedJob } from '../jobs/job-record.js';
import type { PlatformCommand } from './platform-message-type.js';

/** What a message of the platform makes of a job. */
export type JobDecision =
  /** What was heard, and all that follows from it. */
  | { readonly kind: 'heard'; readonly after: LockedJob }
  | { readonly kind: 'ignored'; readonly why: string }
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * The most assignments, versions of documents and accepted completions that are heard of a job, each: they are all kept, since
 * a late message is judged by them, and every message about the job reads them. Far more than a job ever has.
 */
const HEARD_MOST = 1_000;

const UNSCHEDULED = {
  status: 'UNSCHEDULED',
  startsAt: null,
  endsAt: null,
  timeZone: null,
} as const satisfies JobRecord['schedule'];

const HEARD_BEFORE: JobDecision = { kind: 'ignored', why: 'this version was heard of before' };
const NEWER_IN_EFFECT: JobDecision = { kind: 'ignored', why: 'a newer one is in effect' };

/**
 * Decides a job's assignment to an installer company, or to nobody (null). The newest by version counts. Whoever gets the job
 * begins at the start: status ASSIGNED (CANCELLED stays), no technicians, no blocker, and of the schedule only what the
 * selling side has told since. A company that has the job already keeps all of it. What is completed changes hands no more,
 * and what was cancelled only by an assignment that is older than that.
 */
export function decideAssignment(
  job: LockedJob,
  { version, companyId, occurredAt }: PlatformCommand & { readonly companyId: string | null },
): JobDecision {
  const told = heardAssignments(job);
  if (told.some((assignment) => assignment.version === version)) return HEARD_BEFORE;
  if (told.length >= HEARD_MOST) return tooMany(job, 'assignments');
  const cancelledAt = cancelledVersion(job);
  if (cancelledAt !== undefined && version > cancelledAt) {
    return { kind: 'refused', reason: `job ${job.id} is CANCELLED and can not change hands any more` };
  }
  const isNewest = version > (told.at(-1)?.version ?? 0);
  const changesHands = isNewest && companyId !== job.installerCompanyId;
  if (changesHands && job.status === 'COMPLETE') {
    return { kind: 'refused', reason: `job ${job.id} is COMPLETE and can not change hands any more` };
  }
  const assignments = [...told, { version, companyId }].sort((a, b) => a.version - b.version);
  const heard: JobHeard = { ...job.heard, assignments };
  if (!changesHands) {
    const assignedAt = isNewest && companyId !== null ? occurredAt : job.assignedAt;
    return { kind: 'heard', after: { ...job, heard, assignedAt, schedule: reconsidered(job, heard) } };
  }
  return {
    kind: 'heard',
    after: {
      ...job,
      heard: { ...heard, ownScheduleAt: null },
      installerCompanyId: companyId,
      assignedAt: companyId === null ? null : occurredAt,
      status: job.status === 'CANCELLED' ? 'CANCELLED' : 'ASSIGNED',
      blockerCode: null,
      technicianAssignments: [],
      schedule: scheduleOf(heard),
    },
  };
}

/** Decides a cancellation, which nothing takes back. What is completed can not be cancelled. */
export function decideCancellation(job: LockedJob, { version, occurredAt }: PlatformCommand): JobDecision {
  if (job.status === 'COMPLETE') {
    return { kind: 'refused', reason: `job ${job.id} is COMPLETE and can not be cancelled` };
  }
  const cancelledAt = cancelledVersion(job);
  if (cancelledAt !== undefined && cancelledAt <= version) {
    return { kind: 'ignored', why: 'the job is cancelled already' };
  }
  const heard: JobHeard = { ...job.heard, cancelled: { version, occurredAt } };
  return { kind: 'heard', after: { ...job, heard, status: 'CANCELLED', blockerCode: null } };
}

/** Decides what is to be installed: the newest by version counts. Its own number has to rise. */
export function decideScope(
  job: LockedJob,
  { version, scope }: PlatformCommand & { readonly scope: JobScope },
): JobDecision {
  if (version === job.heard.scope) return HEARD_BEFORE;
  if (version < job.heard.scope) return NEWER_IN_EFFECT;
  if (scope.scopeVersion <= job.scope.scopeVersion) {
    return {
      kind: 'refused',
      reason: `scope ${scope.scopeVersion} of job ${job.id} does not follow scope ${job.scope.scopeVersion}`,
    };
  }
  return { kind: 'heard', after: { ...job, heard: { ...job.heard, scope: version }, scope } };
}

/** Decides the selling side's view of readiness: the newest by version counts. */
export function decideReadiness(
  job: LockedJob,
  { version, ready, blockerCodes }: PlatformCommand & JobRecord['readiness'],
): JobDecision {
  if (version === job.heard.readiness) return HEARD_BEFORE;
  if (version < job.heard.readiness) return NEWER_IN_EFFECT;
  const heard: JobHeard = { ...job.heard, readiness: version };
  return { kind: 'heard', after: { ...job, heard, readiness: { ready, blockerCodes } } };
}

/**
 * Decides a schedule of the selling side: the newest by version counts, unless the job has changed hands since, or its company
 * has set a schedule itself after it happened. Unlike an installer company it may go from any state to any, since what came
 * between may not have arrived. That of a closed job is
 * refused, but one that only comes late counts: of a cancelled job when its version is older than the cancellation, of a
 * completed one when it happened before the completion was recorded.
 */
export function decideSchedule(
  job: LockedJob,
  given: PlatformCommand & Omit<NonNullable<JobHeard['schedule']>, 'version'>,
): JobDecision {
  const { version, status, startsAt, endsAt, timeZone, occurredAt } = given;
  const known = job.heard.schedule?.version ?? 0;
  if (version === known) return HEARD_BEFORE;
  if (version < known) return NEWER_IN_EFFECT;
  const cancelledAt = cancelledVersion(job);
  const isAfterCancellation = cancelledAt !== undefined && version > cancelledAt;
  // What is older than the assignment to the company that has completed the job came before that too.
  const isAfterCompletion =
    job.status === 'COMPLETE' &&
    version > heldSince(job.heard) &&
    (job.completedAt === null || occurredAt > job.completedAt);
  if (isAfterCancellation || isAfterCompletion) {
    return {
      kind: 'refused',
      reason: `the schedule of job ${job.id}, which is ${job.status}, can not be changed`,
    };
  }
  const heard: JobHeard = {
    ...job.heard,
    schedule: { version, status, startsAt, endsAt, timeZone },
  };
  const { ownScheduleAt } = heard;
  const isSetSince = ownScheduleAt !== null && occurredAt < ownScheduleAt;
  const schedule = scheduleInEffect(heard) === null || isSetSince ? job.schedule : scheduleOf(heard);
  return { kind: 'heard', after: { ...job, heard, schedule } };
}

/** Decides a document that can be fetched: of each document the newest by version is shown. */
export function decideDocument(
  job: LockedJob,
  given: PlatformCommand & {
    readonly documentId: string;
    readonly category: JobRecord['documents'][number]['category'];
    readonly mime: string;
  },
): JobDecision {
  const { version, documentId, category, mime, occurredAt } = given;
  const told = job.heard.documents;
  if (told.some((document) => document.id === documentId && document.version === version))
    return HEARD_BEFORE;
  if (told.length >= HEARD_MOST) return tooMany(job, 'versions of documents');
  const document = {
    id: documentId,
    version,
    category,
    mime,
    availableAt: formatDateTime(occurredAt),
    isTold: false,
  };
  const all = [...told, document].sort((a, b) => a.version - b.version || (a.id < b.id ? -1 : 1));
  // By the newest version of each, in the order of those.
  const newest = new Map<string, (typeof all)[number]>();
  for (const heard of all) {
    newest.delete(heard.id);
    newest.set(heard.id, heard);
  }
  const documents = [
    // What was there by another way than a message.
    ...job.documents.filter(({ id }) => !newest.has(id)),
    ...[...newest.values()].map(({ id, category: shown, mime: shownMime, availableAt }) => ({
      id,
      category: shown,
      mime: shownMime,
      availableAt,
    })),
  ];
  return { kind: 'heard', after: { ...job, heard: { ...job.heard, documents: all }, documents } };
}

/** Decides that a completion report was accepted: nothing of the job changes, its installer company is told. */
export function decideCompletion(job: LockedJob, { version, occurredAt }: PlatformCommand): JobDecision {
  const told = job.heard.completions;
  if (told.some((completion) => completion.version === version)) return HEARD_BEFORE;
  if (told.length >= HEARD_MOST) return tooMany(job, 'accepted completions');
  const completion = { version, acceptedAt: formatDateTime(occurredAt), isTold: false };
  const completions = [...told, completion].sort((a, b) => a.version - b.version);
  return { kind: 'heard', after: { ...job, heard: { ...job.heard, completions } } };
}

function tooMany({ id }: LockedJob, what: string): JobDecision {
  return { kind: 'refused', reason: `job ${id} has ${HEARD_MOST} ${what} already, and no more are taken` };
}

/** What was told of the assignment, with what is so without a message as version 0. */
function heardAssignments({ heard, installerCompanyId }: LockedJob): JobHeard['assignments'] {
  return heard.assignments.length > 0 || installerCompanyId === null
    ? heard.assignments
    : [{ version: 0, companyId: installerCompanyId }];
}

function cancelledVersion({ status, heard }: LockedJob): number | undefined {
  return heard.cancelled?.version ?? (status === 'CANCELLED' ? 0 : undefined);
}

function scheduleOf(heard: JobHeard): JobRecord['schedule'] {
  const told = scheduleInEffect(heard);
  if (told === null) return UNSCHEDULED;
  const { status, startsAt, endsAt, timeZone } = told;
  return { status, startsAt, endsAt, timeZone };
}

/**
 * The schedule of a job that stays with its company when a late message tells that it was another one's before, or its own for
 * longer: then other schedules of the selling side count. What the company has set itself since stays.
 */
function reconsidered(job: LockedJob, heard: JobHeard): JobRecord['schedule'] {
  const [was, is] = [scheduleOf(job.heard), scheduleOf(heard)];
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
