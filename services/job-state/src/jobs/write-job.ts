import { isDeepStrictEqual } from 'node:util';
import type { EventData, EventName } from '@partner/proto-contracts/public-api/webhook-events';
import type { Transaction } from '../database/database.js';
import { recordEvent } from '../webhooks/events/record-event.js';
import { type FeedEntry, withdrawFeedEntries } from './feed.js';
import type { LockedJob } from './job-record.js';
import { renderProjection, shownReadiness } from './render-projection.js';

/** An event about a job, for the installer company that has it or has had it. */
export type JobEvent = {
  readonly [E in EventName]: {
    readonly event: E;
    readonly data: EventData<E>;
    /** When it happened; absent: with the change. */
    readonly occurredAt?: Date;
    /** Whom it is for; absent: the company that has the job afterwards. */
    readonly companyId?: string;
  };
}[EventName];

/** A change of a job that is locked. */
export interface JobChange {
  readonly before: LockedJob;
  readonly after: LockedJob;
  /** What the history of the job's statuses keeps, when the status moves; `companyId`: who moved it. */
  readonly statusEvent?: {
    readonly companyId: string;
    readonly occurredAt: Date;
    readonly note: string | null;
  };
  /** What is told besides a change of readiness. */
  readonly events: readonly JobEvent[];
  readonly now: Date;
}

/** What a change came to. */
export interface JobChanged {
  /** The projection, as JSON text; null while nobody has the job. */
  readonly resource: string | null;
  readonly eventIds: readonly string[];
  readonly deliveries: number;
  /** What is still to be appended to the feeds, as the last statement of the transaction. */
  readonly feedEntries: readonly FeedEntry[];
}

/**
 * Writes what a job has become: its row, the history of its status, and the webhook events with their deliveries. The only
 * place that changes a job, but for its notes. A company that has lost the job has its feed entries withdrawn, its notes are
 * not shown to the next one, and it is told by `install.job_unassigned`; one that keeps it is told by
 * `install.readiness_changed` whenever another readiness is shown than before. The projection is rendered anew when the version
 * or the company is another one.
 *
 * The job has to be locked. Locks: the feed entries of a company that has lost it. What is to be appended to a feed is left to
 * the caller, whose last statement that has to be.
 */
export async function writeJob(tx: Transaction, change: JobChange): Promise<JobChanged> {
  const { before, after, now } = change;
  const { id: jobId, version, installerCompanyId } = after;
  const changedHands = before.installerCompanyId !== installerCompanyId;
  const isNew = changedHands || version !== before.version;
  const resource = installerCompanyId === null ? null : renderProjection(after);
  await saveJob(tx, change, isNew, resource);

  const eventIds: string[] = [];
  let deliveries = 0;
  async function tell(companyId: string, event: JobEvent): Promise<void> {
    const told = await recordEvent(tx, {
      occurredAt: now,
      ...event,
      companyId,
      resource: { type: 'install_job', id: jobId, version },
      now,
    });
    eventIds.push(told.eventId);
    deliveries += told.deliveries;
  }
  if (changedHands && before.installerCompanyId !== null) {
    await withdrawFeedEntries(tx, before.installerCompanyId, jobId);
    await tell(before.installerCompanyId, { event: 'install.job_unassigned', data: { jobId } });
  }
  const readiness = changedHands ? [] : readinessEvents(before, after);
  for (const event of [...change.events, ...readiness]) {
    const companyId = event.companyId ?? installerCompanyId;
    if (companyId !== null) await tell(companyId, event);
  }
  return {
    resource,
    eventIds,
    deliveries,
    feedEntries:
      isNew && installerCompanyId !== null && resource !== null
        ? [{ companyId: installerCompanyId, jobId, changedAt: now, resource }]
        : [],
  };
}

/** Writes all that can change of a job, and its history when its status has moved. One round trip. */
async function saveJob(
  tx: Transaction,
  { before, after, statusEvent, now }: JobChange,
  isNew: boolean,
  resource: string | null,
): Promise<void> {
  const { schedule, readiness } = after;
  await tx.query(
    `with changed as (
       update jobs set version = $2, status = $3, blocker_code = $4, schedule_status = $5, schedule_starts_at = $6,
         schedule_ends_at = $7, schedule_time_zone = $8, technician_assignments = $9, installer_company_id = $16,
         assigned_at = $17, scope = $18, readiness_ready = $19, readiness_blocker_codes = $20, documents = $21, heard = $22,
         projection = case when $23 then $10 else projection end, updated_at = $11,
         last_updated_at = greatest(last_updated_at, $11),
         installer_note = case when installer_company_id is not distinct from $16 then installer_note end
       where id = $1
     )
     insert into job_status_events
       (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
     select $1, $2, $12, $13, $3, $14, $15, $4, $24 where $14::timestamptz is not null`,
    [
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
      JSON.stringify(after.heard),
      isNew,
      now,
    ],
  );
}

function readinessEvents(before: LockedJob, after: LockedJob): readonly JobEvent[] {
  const readiness = shownReadiness(after);
  return isDeepStrictEqual(shownReadiness(before), readiness)
    ? []
    : [{ event: 'install.readiness_changed', data: { jobId: after.id, ...readiness } }];
}
