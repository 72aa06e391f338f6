import { isDeepStrictEqual } from 'node:util';
import type { EventName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { type Column, column, columnArrays, unnestColumns } from '../database/columns.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { type RecordedEvent, recordEvent } from '../webhooks/events/record-event.js';
import { changedFields } from './changed-fields.js';
import { appendFeedEntry, leaveFeed } from './feed.js';
import { CHANGED_COLUMNS, DOCUMENT_COLUMNS, type LockedJob } from './job-record.js';
import { projectionOf, shownReadiness } from './render-projection.js';

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

export interface JobChanged {
  /** The projection as JSON text; null while no company has the job. */
  readonly resource: string | null;
  readonly recorded: readonly RecordedEvent[];
}

/**
 * Writes a changed job: its row, the history of its status, its feed entry, and the webhook events with their deliveries.
 *
 * It is the only writer of jobs, apart from notes. For a company that has lost the job, it withdraws the feed entries, appends
 * that the job has left, hides the notes from the next company, and emits `install.job_unassigned`. Each event names the public
 * fields that differ from the version before; all of them if the job changes hands. For a company that keeps it, it emits
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
  const shown = projectionOf(after);
  const resource = installerCompanyId === null ? null : JSON.stringify(shown);
  saveJob(tx, change, resource);

  const recorded: RecordedEvent[] = [];
  const readiness = changedHands ? [] : readinessEvents(before, after);
  const events = [...change.events, ...readiness];
  const changed =
    changedHands || events.length === 0 ? undefined : changedFields(projectionOf(before), shown);
  function emit(companyId: string, event: JobEvent): void {
    recorded.push(
      recordEvent(tx, {
        occurredAt: now,
        ...event,
        companyId,
        resource: { type: 'install_job', id: jobId, version },
        // Another company did not have the version before.
        ...(changed !== undefined && companyId === before.installerCompanyId && { changed }),
        now,
      }),
    );
  }
  if (changedHands && before.installerCompanyId !== null) {
    leaveFeed(tx, { companyId: before.installerCompanyId, jobId, changedAt: now });
    emit(before.installerCompanyId, { event: 'install.job_unassigned', data: { jobId } });
  }
  for (const event of events) {
    const companyId = event.companyId ?? installerCompanyId;
    if (companyId !== null) emit(companyId, event);
  }
  if (isNew && installerCompanyId !== null && resource !== null) {
    appendFeedEntry(tx, { companyId: installerCompanyId, jobId, changedAt: now, resource });
  }
  return { resource, recorded };
}

/** A row for {@link SAVE_JOBS}: a job, and the entry of its history. */
const SAVED_COLUMNS = {
  ...CHANGED_COLUMNS,
  ...DOCUMENT_COLUMNS,
  // Arrays of a batch must have one length.
  blockerCodes: column<string>('readiness_blocker_codes', 'jsonb'),
  projection: column<string | null>('projection', 'text'),
  reporterId: column<string | null>('reporter_id', 'text'),
  previousStatus: column<string>('previous_status', 'text'),
  occurredAt: column<Date | null>('occurred_at', 'timestamptz'),
  note: column<string | null>('note', 'text'),
  recordedAt: column<Date>('recorded_at', 'timestamptz'),
};

const assignments = (columns: Readonly<Record<string, Column<unknown>>>, value: (name: string) => string) =>
  Object.values(columns)
    .filter(({ name }) => name !== 'id')
    .map(({ name }) => `${name} = ${value(name)}`)
    .join(', ');

const SAVE_JOBS: PreparedStatement = {
  name: 'save-jobs',
  shared: 'together',
  // A null of the JSON columns leaves them as they are.
  text: `with item as materialized (
       select * from ${unnestColumns(SAVED_COLUMNS, 'item')}
     ), changed as (
       update jobs_open as job set ${assignments(CHANGED_COLUMNS, (name) => `item.${name}`)},
         ${assignments(DOCUMENT_COLUMNS, (name) => `coalesce(item.${name}, job.${name})`)},
         readiness_blocker_codes = array(select jsonb_array_elements_text(item.readiness_blocker_codes)),
         projection = case
           when job.version <> item.version or job.installer_company_id is distinct from item.installer_company_id
             then item.projection
           else job.projection
         end,
         last_updated_at = greatest(job.last_updated_at, item.updated_at),
         installer_note = case
           when job.installer_company_id is not distinct from item.installer_company_id then job.installer_note
         end
       from item where job.id = item.id
     )
     insert into job_status_events_open
       (job_id, version, company_id, previous_status, status, occurred_at, note, blocker_code, recorded_at)
     select id, version, reporter_id, previous_status, status, occurred_at, note, blocker_code, recorded_at
     from item where occurred_at is not null`,
};

/** Writes all changeable fields of a job, and its history if its status changes. */
function saveJob(
  tx: Transaction,
  { before, after, statusEvent, now }: JobChange,
  projection: string | null,
): void {
  const { status: scheduleStatus, ...times } = after.schedule;
  const ifChanged = (field: keyof typeof DOCUMENT_COLUMNS) =>
    after[field] === before[field] ? null : JSON.stringify(after[field]);
  const row: Readonly<Record<keyof typeof SAVED_COLUMNS, unknown>> = {
    ...{ ...after, ...times, scheduleStatus, projection },
    ready: after.readiness.ready,
    blockerCodes: JSON.stringify(after.readiness.blockerCodes),
    scope: ifChanged('scope'),
    documents: ifChanged('documents'),
    technicianAssignments: ifChanged('technicianAssignments'),
    platformState: ifChanged('platformState'),
    reporterId: statusEvent?.companyId,
    previousStatus: before.status,
    occurredAt: statusEvent?.occurredAt,
    note: statusEvent?.note,
    recordedAt: now,
  };
  // Each column has one value here.
  void tx.query(SAVE_JOBS, columnArrays(SAVED_COLUMNS, [row]).flat());
}

function readinessEvents(before: LockedJob, after: LockedJob): readonly JobEvent[] {
  const readiness = shownReadiness(after);
  return isDeepStrictEqual(shownReadiness(before), readiness)
    ? []
    : [{ event: 'install.readiness_changed', data: { jobId: after.id, ...readiness } }];
}
