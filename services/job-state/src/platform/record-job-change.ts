import { isDeepStrictEqual } from 'node:util';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ANNOUNCED_DOCUMENT_CATEGORIES } from '@partner/proto-contracts/resources/event-catalogue/install-events';
import { contractInstallerLast } from '../access/keys/contracted-installers.js';
import type { Transaction } from '../database/database.js';
import { heldSince, holderAt, type PlatformState } from '../jobs/platform-state.js';
import { instantOfChange, type LockedJob, lockJob } from '../jobs/job-record.js';
import { renderProjection, shownSchedule } from '../jobs/render-projection.js';
import { type JobEvent, writeJob } from '../jobs/write-job.js';
import type { JobDecision } from './decide-job-change.js';
import type { PlatformEffect } from './message-type/platform-message-type.js';

/**
 * Records a platform message about an existing job, in one transaction with its effects.
 *
 * The effects are a version of the projection and a feed entry if the view of a company that has the job changes, and that
 * company's events. A job's first projection is its version 1; while no company has the job its version does not increase.
 *
 * A document is announced once: to the company that has the job, or if none has, to the company that is later found to have had
 * it by then. An accepted completion is announced to the company that had the job by then, once that is known.
 *
 * Keys of the seller can be bound to `contractedCompanyId`, the company of an assignment message, from now on.
 *
 * Locks: the job, the feed entries of a company that loses it, last the pair of companies while it is new and the feed heads of
 * that company and of the one that has it.
 */
export async function recordJobChange(
  tx: Transaction,
  { jobId, occurredAt }: { readonly jobId: string; readonly occurredAt: Date },
  decide: (job: LockedJob) => JobDecision,
  clockNow: Date,
  contractedCompanyId?: string,
): Promise<PlatformEffect> {
  const job = await lockJob(tx, jobId);
  if (job === undefined) return { kind: 'early', missing: jobId };
  const decision = decide(job);
  if (decision.kind !== 'recorded') return decision;

  const now = instantOfChange(job, clockNow);
  const { facts, platformState } = factsToAnnounce(job, decision.after);
  const decided: LockedJob = { ...decision.after, platformState };
  const holder = decided.installerCompanyId;
  const changedHands = job.installerCompanyId !== holder;
  const isShown = changedHands || (holder !== null && isShownDifferently(job, decided));
  const wasNeverShown = job.version === 1 && job.installerCompanyId === null;
  const after: LockedJob = isShown
    ? { ...decided, version: wasNeverShown ? 1 : job.version + 1, updatedAt: now }
    : decided;
  const isCancelled = after.status === 'CANCELLED' && job.status !== 'CANCELLED';
  writeJob(tx, {
    before: job,
    after,
    ...(isCancelled ? { statusEvent: { companyId: job.sellingCompany.id, occurredAt, note: null } } : {}),
    events: [...(changedHands ? eventsOfAssignment(after) : eventsOfChange(job, after)), ...facts],
    now,
  });
  if (contractedCompanyId !== undefined) {
    contractInstallerLast(tx, job.sellingCompany.id, contractedCompanyId);
  }
  return isDeepStrictEqual({ ...job, platformState }, after) && facts.length === 0
    ? { kind: 'ignored', why: 'nothing follows from it' }
    : { kind: 'applied' };
}

/** Whether the projections differ in more than version and instant. The name of the selling company is ignored. */
function isShownDifferently(before: LockedJob, after: LockedJob): boolean {
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

/** A cancellation emits its own event and the status change: consumers of status changes then see every change. */
function eventsOfCancellation(
  { id: jobId, platformState: { cancelled }, updatedAt }: LockedJob,
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

/** Webhook events for a company that keeps a job, apart from a change of readiness. */
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
  // Work on a closed job has ended.
  if (scopeVersion !== previousScopeVersion && status !== 'CANCELLED' && status !== 'COMPLETE') {
    events.push({
      event: 'install.scope_acknowledgement_required',
      data: { jobId, scopeVersion, previousScopeVersion },
    });
  }
  return events;
}

/** The facts to announce to a company now, and the record with those marked as announced. */
function factsToAnnounce(
  before: LockedJob,
  after: LockedJob,
): { readonly facts: readonly JobEvent[]; readonly platformState: PlatformState } {
  const { id: jobId, platformState, installerCompanyId } = after;
  const since = heldSince(platformState);
  const facts: JobEvent[] = [];
  const documents = platformState.documents.map((document) => {
    if (installerCompanyId === null) return document;
    const { id, version, mime, availableAt } = document;
    const category = ANNOUNCED_DOCUMENT_CATEGORIES.find((announced) => announced === document.category);
    const isNew = !before.platformState.documents.some(
      (known) => known.id === id && known.version === version,
    );
    if (document.isNotified || category === undefined || !(isNew || version > since)) return document;
    facts.push({
      event: 'install.document_available',
      data: { jobId, document: { id, category, mime, availableAt } },
      occurredAt: new Date(availableAt),
    });
    return { ...document, isNotified: true };
  });
  const completions = platformState.completions.map((completion) => {
    const { version, acceptedAt, isNotified, notifiedCompanyIds } = completion;
    // A job that existed before its first platform message has no known history, only its current company.
    const companyId =
      platformState.assignments.length === 0
        ? installerCompanyId
        : (holderAt(platformState, version) ?? null);
    const wasAnnounced =
      notifiedCompanyIds === undefined
        ? isNotified
        : companyId !== null && notifiedCompanyIds.includes(companyId);
    if (companyId === null || wasAnnounced) return completion;
    facts.push({
      event: 'install.completion_received',
      data: { jobId, acceptedAt },
      occurredAt: new Date(acceptedAt),
      companyId,
    });
    return {
      ...completion,
      isNotified: true,
      notifiedCompanyIds: [...(notifiedCompanyIds ?? []), companyId],
    };
  });
  return { facts, platformState: { ...platformState, documents, completions } };
}
