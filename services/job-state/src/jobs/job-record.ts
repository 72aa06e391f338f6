import type {
  BLOCKER_CODES,
  DOCUMENT_CATEGORIES,
  JobStatusName,
  SCHEDULE_STATUSES,
} from '@partner/proto-contracts/resources/job/job';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable, Transaction } from '../database/database.js';
import { platformState, type PlatformState } from './platform-state.js';

export type BlockerCode = (typeof BLOCKER_CODES)[number];

/** The customer at the installation address. */
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

interface JobRow {
  readonly id: string;
  readonly version: number;
  readonly status: JobStatusName;
  readonly selling_company_id: string;
  readonly selling_company_name: string;
  readonly installer_company_id: string | null;
  readonly assigned_at: Date | null;
  readonly blocker_code: BlockerCode | null;
  readonly customer: JobCustomer;
  readonly scope: JobScope;
  readonly schedule_status: JobRecord['schedule']['status'];
  readonly schedule_starts_at: Date | null;
  readonly schedule_ends_at: Date | null;
  readonly schedule_time_zone: string | null;
  readonly readiness_ready: boolean;
  readonly readiness_blocker_codes: readonly string[];
  readonly documents: JobRecord['documents'];
  readonly technician_assignments: JobRecord['technicianAssignments'];
  readonly updated_at: Date;
  readonly platform_state: unknown;
}

const LOCK_JOBS: PreparedStatement = {
  name: 'lock-jobs',
  text: `select wanted.call, job.id, job.version, job.status, job.selling_company_id, company.name as selling_company_name,
       job.installer_company_id, job.assigned_at, job.blocker_code, job.customer, job.scope, job.schedule_status,
       job.schedule_starts_at, job.schedule_ends_at, job.schedule_time_zone, job.readiness_ready,
       job.readiness_blocker_codes, job.documents, job.technician_assignments, job.updated_at, job.platform_state
     from unnest($1::text[], $2::text[]) with ordinality as wanted (job_id, installer_company_id, call)
     join jobs as job on job.id = wanted.job_id
       and (wanted.installer_company_id is null or job.installer_company_id = wanted.installer_company_id)
     join companies as company on company.id = job.selling_company_id
     order by wanted.call
     for no key update of job`,
};

/**
 * Reads a job and locks it until the end of the transaction, so that changes apply to the state that was read.
 *
 * With an installer company it returns only a job that is assigned to that company.
 */
export async function lockJob(
  tx: Transaction,
  jobId: string,
  installerCompanyId?: string,
): Promise<LockedJob | undefined> {
  const [row] = await tx.queryTogether<JobRow>(LOCK_JOBS, [jobId, installerCompanyId ?? null]);
  if (row === undefined) return undefined;
  return {
    id: row.id,
    version: row.version,
    status: row.status,
    sellingCompany: { id: row.selling_company_id, name: row.selling_company_name },
    installerCompanyId: row.installer_company_id,
    assignedAt: row.assigned_at,
    blockerCode: row.blocker_code,
    customer: row.customer,
    scope: row.scope,
    schedule: {
      status: row.schedule_status,
      startsAt: row.schedule_starts_at,
      endsAt: row.schedule_ends_at,
      timeZone: row.schedule_time_zone,
    },
    readiness: { ready: row.readiness_ready, blockerCodes: row.readiness_blocker_codes },
    documents: row.documents,
    technicianAssignments: row.technician_assignments,
    updatedAt: row.updated_at,
    platformState: platformState.parse(row.platform_state),
    completedAt: row.status === 'COMPLETE' ? await completionOf(tx, row.id) : null,
  };
}

/** Runs after the job is locked: a statement that waits for a lock reads other tables from an older snapshot. */
async function completionOf(tx: Queryable, jobId: string): Promise<Date | null> {
  const [row] = await tx.query<{ completed_at: Date | null }>(
    `select max(recorded_at) as completed_at from job_status_events where job_id = $1 and status = 'COMPLETE'`,
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
