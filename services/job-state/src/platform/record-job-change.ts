import { isDeepStrictEqual } from 'node:util';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { ANNOUNCED_DOCUMENT_CATEGORIES } from '@partner/proto-contracts/public-api/webhook-events';
import { contractInstaller } from '../access/contracted-installers.js';
import type { Transaction } from '../database/database.js';
import { appendFeedEntries } from '../jobs/feed.js';
import { heldSince, holderAt, type JobHeard } from '../jobs/job-heard.js';
import { instantOfChange, type LockedJob, lockJob } from '../jobs/job-record.js';
import { renderProjection, shownSchedule } from '../jobs/render-projection.js';
import { type JobEvent, writeJob } from '../jobs/write-job.js';
import type { JobDecision } from './decide-job-change.js';
import type { PlatformEffect } from './platform-effect.js';

/**
 * Records a message of the platform about a job that is there. What is decided stands with what follows from it: a version of
 * the projection and a feed entry if something is shown differently to a company that has the job, and that company's
 * events. A job's first projection is its version 1; while nobody has the job its version does not rise.
 *
 * Documents are told once: to whoever has the job, or if nobody has, to the company that turns out to have had it by then.
 * Accepted completions are told to the company that had the job by then, once it is known to have. Locks: the job, the feed entries of a company that loses it, the pair of companies while it is new, last
 * the feed head of the company that has it.
 */
export async function recordJobChange(
  tx: Transaction,
  jobId: string,
  given: {
    readonly occurredAt: Date;
    /** The company that was told to get the job: keys of the seller can be bound to it from then on. */
    readonly contractedCompanyId?: string;
    readonly decide: (job: LockedJob) => JobDecision;
  },
  clockNow: Date,
): Promise<PlatformEffect> {
  const job = await lockJob(tx, jobId);
  if (job === undefined) return { kind: 'early', missing: jobId };
  const decision = given.decide(job);
  if (decision.kind !== 'heard') return decision;

  const now = instantOfChange(job, clockNow);
  const { facts, heard } = factsToTell(job, decision.after);
  const decided: LockedJob = { ...decision.after, heard };
  const holder = decided.installerCompanyId;
  const changedHands = job.installerCompanyId !== holder;
  const isShown = changedHands || (holder !== null && looksDifferent(job, decided));
  const wasNeverShown = job.version === 1 && job.installerCompanyId === null;
  const after: LockedJob = isShown
    ? { ...decided, version: wasNeverShown ? 1 : job.version + 1, updatedAt: now }
    : decided;
  const isCancelled = after.status === 'CANCELLED' && job.status !== 'CANCELLED';
  const { feedEntries } = await writeJob(tx, {
    before: job,
    after,
    ...(isCancelled
      ? { statusEvent: { companyId: job.sellingCompany.id, occurredAt: given.occurredAt, note: null } }
      : {}),
    events: [...(changedHands ? eventsOfAssignment(after) : eventsOfChange(job, after)), ...facts],
    now,
  });
  if (given.contractedCompanyId !== undefined) {
    await contractInstaller(tx, job.sellingCompany.id, given.contractedCompanyId);
  }
  await appendFeedEntries(tx, feedEntries);
  return isDeepStrictEqual({ ...job, heard }, after) && facts.length === 0
    ? { kind: 'ignored', why: 'nothing follows from it' }
    : { kind: 'applied' };
}

/** Tells whether the projections differ in more than their version and instant; not in the name of the selling company. */
function looksDifferent(before: LockedJob, after: LockedJob): boolean {
  return (
    renderProjection(before) !==
    renderProjection({ ...after, version: before.version, updatedAt: before.updatedAt })
  );
}

function eventsOfAssignment(after: LockedJob): readonly JobEvent[] {
  const { id: jobId, status } = after;
  return [
    { event: 'install.job_assigned', data: { jobId, status } },
    ...(status === 'CANCELLED' ? eventsOfCancellation(after, 'ASSIGNED') : []),
  ];
}

/** A cancellation is told as what it is, and as the move of the status that it is too: who follows statuses follows all. */
function eventsOfCancellation(
  { id: jobId, heard: { cancelled }, updatedAt }: LockedJob,
  previousStatus: LockedJob['status'],
): readonly JobEvent[] {
  const occurredAt = formatDateTime(cancelled?.occurredAt ?? updatedAt);
  return [
    { event: 'install.job_cancelled', data: { jobId, previousStatus } },
    {
      event: 'install.status_changed',
      data: { jobId, previousStatus, status: 'CANCELLED', occurredAt, note: null, blockerCode: null },
    },
  ];
}

/** What a company that keeps a job is told, besides a change of readiness. */
function eventsOfChange(before: LockedJob, after: LockedJob): readonly JobEvent[] {
  const { id: jobId, status } = after;
  const events: JobEvent[] = [];
  if (status === 'CANCELLED' && before.status !== 'CANCELLED') {
    events.push(...eventsOfCancellation(after, before.status));
  }
  const schedule = shownSchedule(after.schedule);
  const { status: previousStatus } = before.schedule;
  if (!isDeepStrictEqual(schedule, shownSchedule(before.schedule))) {
    events.push({
      event: 'install.schedule_changed',
      data: { jobId, changedBy: 'seller', previousStatus, schedule },
    });
  }
  const { scopeVersion } = after.scope;
  const { scopeVersion: previousScopeVersion } = before.scope;
  // Work on a closed job does not go on.
  if (scopeVersion !== previousScopeVersion && status !== 'CANCELLED' && status !== 'COMPLETE') {
    events.push({
      event: 'install.scope_acknowledgement_required',
      data: { jobId, scopeVersion, previousScopeVersion },
    });
  }
  return events;
}

/** The facts that a company is to be told of now, and what was heard with those marked as told. */
function factsToTell(
  before: LockedJob,
  after: LockedJob,
): { readonly facts: readonly JobEvent[]; readonly heard: JobHeard } {
  const { id: jobId, heard, installerCompanyId } = after;
  const since = heldSince(heard);
  const facts: JobEvent[] = [];
  const documents = heard.documents.map((document) => {
    if (installerCompanyId === null) return document;
    const { id, version, mime, availableAt } = document;
    const category = ANNOUNCED_DOCUMENT_CATEGORIES.find((announced) => announced === document.category);
    const isNew = !before.heard.documents.some((known) => known.id === id && known.version === version);
    if (document.isTold || category === undefined || !(isNew || version > since)) return document;
    facts.push({
      event: 'install.document_available',
      data: { jobId, document: { id, category, mime, availableAt } },
      occurredAt: new Date(availableAt),
    });
    return { ...document, isTold: true };
  });
  const completions = heard.completions.map((completion) => {
    const { version, acceptedAt, isTold, toldTo } = completion;
    // Of a job that was there before the platform told of it nothing is known but who has it.
    const companyId =
      heard.assignments.length === 0 ? installerCompanyId : (holderAt(heard, version) ?? null);
    const wasTold = toldTo === undefined ? isTold : companyId !== null && toldTo.includes(companyId);
    if (companyId === null || wasTold) return completion;
    facts.push({
      event: 'install.completion_received',
      data: { jobId, acceptedAt },
      occurredAt: new Date(acceptedAt),
      companyId,
    });
    return { ...completion, isTold: true, toldTo: [...(toldTo ?? []), companyId] };
  });
  return { facts, heard: { ...heard, documents, completions } };
}
