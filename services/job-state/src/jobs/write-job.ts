import { isDeepStrictEqual } from 'node:util';
import type { EventData, EventName } from '@partner/proto-contracts/events/webhook-events';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { type RecordedEvent, recordEvent } from '../webhooks/events/record-event.js';
import { appendFeedEntry, withdrawFeedEntries } from './feed.js';
import type { LockedJob } from './job-record.js';
import { renderProjection, shownReadiness } from './render-projection.js';

/** An event about a job, for the installer company that has it or has had it. */
export type JobEvent = {
  readonly [E in EventName]: {
    readonly event: E;
    readonly data: EventData<E>;
    /** When it happened; absent: with the change. */
    readonly occurredAt?: Date;
    /** The company that receives it; absent: the company that has the job after the change. */
    readonly companyId?: string;
  };
}[EventName];

/** A change of a locked job. */
export interface JobChange {
  readonly before: LockedJob;
  readonly after: LockedJob;
  /** Entry for the status history, if the status changes; `companyId`: the company that reported it. */
  readonly statusEvent?: {
    readonly companyId: string;
    readonly occurredAt: Date;
    readonly note: string | null;
  };
  /** Webhook events to emit, apart from `install.readiness_changed`. */
  readonly events: readonly JobEvent[];
  readonly now: Date;
}

/** Outcome of a job change. */
export interface JobChanged {
  /** The projection as JSON text; null while no company has the job. */
  readonly resource: string | null;
  readonly recorded: readonly RecordedEvent[];
}

/**
 * Writes a changed job: its row, the history of its status, its feed entry, and the webhook events with their deliveries.
 *
 * It is the only writer of jobs, apart from notes. For a company that has lost the job, it withdraws the feed entries, hides
 * the notes from the next company, and emits `install.job_unassigned`. For a company that keeps it, it emits
 * `install.readiness_changed` if the projection shows another readiness. The projection is rendered again if the version or the
 * company changes.
 *
 * The caller holds the lock of the job. Locks: the feed entries of a company that has lost it, last the feed head of the company
 * that has it.
 */
export function writeJob(tx: Transaction, change: JobChange): JobChanged {
  const { before, after, now } = change;
  const { id: jobId, version, installerCompanyId } = after;
  const changedHands = before.installerCompanyId !== installerCompanyId;
  const isNew = changedHands || version !== before.version;
  const resource = installerCompanyId === null ? null : renderProjection(after);
  saveJob(tx, change, isNew, resource);

  const recorded: RecordedEvent[] = [];
  function emit(companyId: string, event: JobEvent): void {
    recorded.push(
      recordEvent(tx, {
        occurredAt: now,
        ...event,
        companyId,
        resource: { type: 'install_job', id: jobId, version },
        now,
      }),
    );
  }
  if (changedHands && before.installerCompanyId !== null) {
    withdrawFeedEntries(tx, before.installerCompanyId, jobId);
    emit(before.installerCompanyId, { event: 'install.job_unassigned', data: { jobId } });
  }
  const readiness = changedHands ? [] : readinessEvents(before, after);
  for (const event of [...change.events, ...readiness]) {
    const companyId = event.companyId ?? installerCompanyId;
    if (companyId !== null) emit(companyId, event);
  }
  if (isNew && installerCompanyId !== null && resource !== null) {
    appendFeedEntry(tx, { companyId: installerCompanyId, jobId, changedAt: now, resource });
  }
  return { resource, recorded };
}

const SAVE_JOB: PreparedStatement = {
  name: 'save-job',
  text: `with changed as (
       update jobs set version = $2, status = $3, blocker_code = $4, schedule_status = $5, schedule_starts_at = $6,
         schedule_ends_at = $7, schedule_time_zone = $8, technician_assignments = $9, installer_company_id = $16,
         assigned_at = $17, scope = $18, readiness_ready = $19, readiness_blocker_codes = $20, documents = $21, platform_state = $22,
         projection = case when $23 then $10 else projection end, updated_at = $11,
         last_updated_at = greatest(last_updated_at, $11),
         installer_note = case when installer_company_id is not distinct from $16 then installer_note end
       where id = $1
     )
     insert into job_status_events
       (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
     select $1, $2, $12, $13, $3, $14, $15, $4, $24 where $14::timestamptz is not null`,
};

/** Writes all changeable fields of a job, and its history if its status changes. */
function saveJob(
  tx: Transaction,
  { before, after, statusEvent, now }: JobChange,
  isNew: boolean,
  resource: string | null,
): void {
  const { schedule, readiness } = after;
  tx.send(SAVE_JOB, [
    after.id,
    after.version,
    after.status,
    after.blockerCode,
    schedule.status,
    schedule.startsAt,
    schedule.endsAt,
    schedule.timeZone,
    JSON.stringify(after.technicianAssignments),
    resource,
    after.updatedAt,
    statusEvent?.companyId ?? null,
    before.status,
    statusEvent?.occurredAt ?? null,
    statusEvent?.note ?? null,
    after.installerCompanyId,
    after.assignedAt,
    JSON.stringify(after.scope),
    readiness.ready,
    readiness.blockerCodes,
    JSON.stringify(after.documents),
    JSON.stringify(after.platformState),
    isNew,
    now,
  ]);
}

function readinessEvents(before: LockedJob, after: LockedJob): readonly JobEvent[] {
  const readiness = shownReadiness(after);
  return isDeepStrictEqual(shownReadiness(before), readiness)
    ? []
    : [{ event: 'install.readiness_changed', data: { jobId: after.id, ...readiness } }];
}
