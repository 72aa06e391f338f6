import { isDeepStrictEqual } from 'node:util';
import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { type RecordedEvent, recordEvent } from '../webhooks/events/record-event.js';
import { appendFeedEntry, leaveFeed } from './feed.js';
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
 * It is the only writer of jobs, apart from notes. For a company that has lost the job, it withdraws the feed entries, appends
 * that the job has left, hides the notes from the next company, and emits `install.job_unassigned`. For a company that keeps it, it emits
 * `install.readiness_changed` if the projection shows another readiness. The projection is rendered again if the version or the
 * company changes.
 *
 * The caller holds the lock of the job. Locks: the feed entries of a company that has lost it, last the feed heads of that company
 * and of the one that has it.
 */
export function writeJob(tx: Transaction, change: JobChange): JobChanged {
  const { before, after, now } = change;
  const { id: jobId, version, installerCompanyId } = after;
  const changedHands = before.installerCompanyId !== installerCompanyId;
  const isNew = changedHands || version !== before.version;
  const resource = installerCompanyId === null ? null : renderProjection(after);
  saveJob(tx, change, resource);

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
    leaveFeed(tx, { companyId: before.installerCompanyId, jobId, changedAt: now });
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

const SAVE_JOBS: PreparedStatement = {
  name: 'save-jobs',
  // A null of the JSON columns leaves them as they are.
  text: `with item as materialized (
       select * from unnest($1::text[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[],
         $8::text[], $9::jsonb[], $10::text[], $11::timestamptz[], $12::text[], $13::timestamptz[], $14::jsonb[],
         $15::boolean[], $16::jsonb[], $17::jsonb[], $18::jsonb[], $19::text[], $20::text[], $21::timestamptz[], $22::text[],
         $23::timestamptz[])
       as item (id, version, status, blocker_code, schedule_status, schedule_starts_at, schedule_ends_at,
         schedule_time_zone, technician_assignments, projection, updated_at, installer_company_id, assigned_at, scope,
         readiness_ready, readiness_blocker_codes, documents, platform_state, reporter_id, previous_status, occurred_at, note,
         recorded_at)
     ), changed as (
       update jobs as job set version = item.version, status = item.status, blocker_code = item.blocker_code,
         schedule_status = item.schedule_status, schedule_starts_at = item.schedule_starts_at,
         schedule_ends_at = item.schedule_ends_at, schedule_time_zone = item.schedule_time_zone,
         technician_assignments = coalesce(item.technician_assignments, job.technician_assignments),
         installer_company_id = item.installer_company_id, assigned_at = item.assigned_at,
         scope = coalesce(item.scope, job.scope), readiness_ready = item.readiness_ready,
         readiness_blocker_codes = array(select jsonb_array_elements_text(item.readiness_blocker_codes)),
         documents = coalesce(item.documents, job.documents), platform_state = coalesce(item.platform_state, job.platform_state),
         projection = case
           when job.version <> item.version or job.installer_company_id is distinct from item.installer_company_id
             then item.projection
           else job.projection
         end,
         updated_at = item.updated_at, last_updated_at = greatest(job.last_updated_at, item.updated_at),
         installer_note = case
           when job.installer_company_id is not distinct from item.installer_company_id then job.installer_note
         end
       from item where job.id = item.id
     )
     insert into job_status_events
       (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
     select id, version, reporter_id, previous_status, status, occurred_at, note, blocker_code, recorded_at
     from item where occurred_at is not null`,
};

/** Writes all changeable fields of a job, and its history if its status changes. */
function saveJob(
  tx: Transaction,
  { before, after, statusEvent, now }: JobChange,
  resource: string | null,
): void {
  const { schedule, readiness } = after;
  const ifChanged = (field: 'technicianAssignments' | 'scope' | 'documents' | 'platformState') =>
    after[field] === before[field] ? null : JSON.stringify(after[field]);
  void tx.queryTogether(SAVE_JOBS, [
    after.id,
    after.version,
    after.status,
    after.blockerCode,
    schedule.status,
    schedule.startsAt,
    schedule.endsAt,
    schedule.timeZone,
    ifChanged('technicianAssignments'),
    resource,
    after.updatedAt,
    after.installerCompanyId,
    after.assignedAt,
    ifChanged('scope'),
    readiness.ready,
    JSON.stringify(readiness.blockerCodes),
    ifChanged('documents'),
    ifChanged('platformState'),
    statusEvent?.companyId ?? null,
    before.status,
    statusEvent?.occurredAt ?? null,
    statusEvent?.note ?? null,
    now,
  ]);
}

function readinessEvents(before: LockedJob, after: LockedJob): readonly JobEvent[] {
  const readiness = shownReadiness(after);
  return isDeepStrictEqual(shownReadiness(before), readiness)
    ? []
    : [{ event: 'install.readiness_changed', data: { jobId: after.id, ...readiness } }];
}
