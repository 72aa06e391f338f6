import type {
  BLOCKER_CODES,
  DOCUMENT_CATEGORIES,
  JobStatusName,
  SCHEDULE_STATUSES,
} from '@partner/proto-contracts/resources/job/job';
import { column, type RowOf, selectList } from '../database/columns.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable, Transaction } from '../database/database.js';
import { platformState, type PlatformState } from './platform-state.js';

export type BlockerCode = (typeof BLOCKER_CODES)[number];

interface JobCustomer {
  readonly name: string;
  readonly phone: string;
  readonly line1: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** One piece of equipment or one accessory. */
export interface ScopeItem {
  readonly name: string;
  readonly model: string | null;
  readonly quantity: number;
}

/** The equipment to install. */
export interface JobScope {
  readonly packageName: string;
  readonly systemType: string;
  readonly equipment: readonly ScopeItem[];
  readonly accessories: readonly ScopeItem[];
  readonly supplierSources: readonly { readonly name: string; readonly reference: string | null }[];
  readonly scopeVersion: number;
}

/** A job with all fields of its projection. */
export interface JobRecord {
  readonly id: string;
  readonly version: number;
  readonly status: JobStatusName;
  readonly sellingCompany: { readonly id: string; readonly name: string };
  readonly installerCompanyId: string | null;
  /** When the platform made the assignment in effect. */
  readonly assignedAt: Date | null;
  /** Set only while the status is BLOCKED. */
  readonly blockerCode: BlockerCode | null;
  readonly customer: JobCustomer;
  readonly scope: JobScope;
  readonly schedule: {
    readonly status: (typeof SCHEDULE_STATUSES)[number];
    readonly startsAt: Date | null;
    readonly endsAt: Date | null;
    readonly timeZone: string | null;
  };
  /** The selling side's view, without the installer's blocker code. */
  readonly readiness: { readonly ready: boolean; readonly blockerCodes: readonly string[] };
  readonly documents: readonly {
    readonly id: string;
    readonly category: (typeof DOCUMENT_CATEGORIES)[number];
    readonly mime: string;
    readonly availableAt: string;
  }[];
  readonly technicianAssignments: readonly { readonly membershipId: string; readonly assignedAt: string }[];
  readonly updatedAt: Date;
}

/** A locked job, with the platform's messages about it. */
export interface LockedJob extends JobRecord {
  readonly platformState: PlatformState;
  /** When the status COMPLETE was recorded; null for a job that is not complete, or that was completed without a record. */
  readonly completedAt: Date | null;
}

/** The columns that every change writes. */
export const CHANGED_COLUMNS = {
  id: column<string>('id', 'text'),
  version: column<number>('version', 'integer'),
  status: column<JobStatusName>('status', 'text'),
  blockerCode: column<BlockerCode | null>('blocker_code', 'text'),
  installerCompanyId: column<string | null>('installer_company_id', 'text'),
  assignedAt: column<Date | null>('assigned_at', 'timestamptz'),
  scheduleStatus: column<JobRecord['schedule']['status']>('schedule_status', 'text'),
  startsAt: column<Date | null>('schedule_starts_at', 'timestamptz'),
  endsAt: column<Date | null>('schedule_ends_at', 'timestamptz'),
  timeZone: column<string | null>('schedule_time_zone', 'text'),
  ready: column<boolean>('readiness_ready', 'boolean'),
  updatedAt: column<Date>('updated_at', 'timestamptz'),
};

/** The columns that only a change of their value writes. */
export const DOCUMENT_COLUMNS = {
  scope: column<JobScope>('scope', 'jsonb'),
  documents: column<JobRecord['documents']>('documents', 'jsonb'),
  technicianAssignments: column<JobRecord['technicianAssignments']>('technician_assignments', 'jsonb'),
  platformState: column<unknown>('platform_state', 'jsonb'),
};

const COLUMNS = {
  ...CHANGED_COLUMNS,
  ...DOCUMENT_COLUMNS,
  customer: column<JobCustomer>('customer', 'jsonb'),
  blockerCodes: column<readonly string[]>('readiness_blocker_codes', 'text[]'),
  sellingCompanyId: column<string>('selling_company_id', 'text'),
};

type JobRow = RowOf<typeof COLUMNS> & { readonly call: unknown; readonly sellingCompanyName: string };

const LOCK_JOBS: PreparedStatement = {
  name: 'lock-jobs',
  shared: 'together',
  text: `select wanted.call, company.name as "sellingCompanyName", ${selectList(COLUMNS, 'job')}
     from unnest($1::text[], $2::text[]) with ordinality as wanted (job_id, installer_company_id, call)
     join jobs_open as job on job.id = wanted.job_id
       and (wanted.installer_company_id is null or job.installer_company_id = wanted.installer_company_id)
     join companies as company on company.id = job.selling_company_id
     order by wanted.call
     for no key update of job`,
};

const BRING_BACK: PreparedStatement = {
  name: 'bring-back-job',
  text: `with job as (
       update jobs set archived_at = 'infinity'
       where id = $1 and archived_at < 'infinity' and ($2::text is null or installer_company_id = $2)
       returning id
     )
     update job_status_events set archived_at = 'infinity'
     where job_id in (select id from job) and archived_at < 'infinity'`,
};

/**
 * Locks a job as the statement does; with an installer company only one that is assigned to it. If no job is found, it moves the job
 * back from the archive, with its history, and runs the statement again: meanwhile another transaction can have done so.
 */
export async function lockWithArchive<Row>(
  tx: Queryable,
  ids: { readonly jobId: string; readonly installerCompanyId: string | undefined },
  lock: () => Promise<readonly Row[]>,
): Promise<Row | undefined> {
  const [row] = await lock();
  if (row !== undefined) return row;
  await tx.query(BRING_BACK, [ids.jobId, ids.installerCompanyId ?? null]);
  return (await lock())[0];
}

/**
 * Reads a job and locks it until the end of the transaction, so that changes apply to the state that was read. An archived one comes
 * back first.
 *
 * With an installer company it returns only a job that is assigned to that company.
 */
export async function lockJob(
  tx: Transaction,
  jobId: string,
  installerCompanyId?: string,
): Promise<LockedJob | undefined> {
  const row = await lockWithArchive(tx, { jobId, installerCompanyId }, () =>
    tx.query<JobRow>(LOCK_JOBS, [jobId, installerCompanyId ?? null]),
  );
  if (row === undefined) return undefined;
  const { call: _call, sellingCompanyId, sellingCompanyName, ready, blockerCodes, ...rest } = row;
  const { scheduleStatus, startsAt, endsAt, timeZone, ...job } = rest;
  return {
    ...job,
    sellingCompany: { id: sellingCompanyId, name: sellingCompanyName },
    schedule: { status: scheduleStatus, startsAt, endsAt, timeZone },
    readiness: { ready, blockerCodes },
    platformState: platformState.parse(job.platformState),
    completedAt: job.status === 'COMPLETE' ? await completionOf(tx, job.id) : null,
  };
}

/** Runs after the job is locked: a statement that waits for a lock reads other tables from an older snapshot. */
async function completionOf(tx: Queryable, jobId: string): Promise<Date | null> {
  const [row] = await tx.query<{ completed_at: Date | null }>(
    `select max(recorded_at) as completed_at from job_status_events_open where job_id = $1 and status = 'COMPLETE'`,
    [jobId],
  );
  return row?.completed_at ?? null;
}

/**
 * Returns the instant of a change: now, but never before the job's last change.
 *
 * Receivers order the events of a job by instant and version, and the clocks of two replicas may differ.
 */
export function instantOfChange(job: Pick<JobRecord, 'updatedAt'>, now: Date): Date {
  return now < job.updatedAt ? job.updatedAt : now;
}
