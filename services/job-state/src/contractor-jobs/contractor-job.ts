import type {
  ContractorJob,
  ContractorJobs,
  ContractorJobStageName,
} from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { JobStatusName } from '@partner/proto-contracts/resources/job/job';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { ERASED_TEXT } from '@partner/proto-contracts/values/redacted';
import { assertNever } from '@partner/kernel/process/invariant';
import { column, computed, type RowOf, selectList } from '../database/columns.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import type { JobRecord } from '../jobs/job-record.js';
import { pageWithinBytes } from '../rpc/page-within-bytes.js';

/** The visible jobs: sold by one company and currently assigned to another one. */
export interface ContractorJobBoundary {
  readonly sellingCompanyId: string;
  readonly installerCompanyId: string;
}

const ofCustomer = (field: string) => computed<string>((job) => `${job}.customer->>'${field}'`);

/** The address is the only customer data. */
const COLUMNS = {
  id: column<string>('id', 'text'),
  workOrderNo: column<string | null>('work_order_no', 'text'),
  address: ofCustomer('line1'),
  city: ofCustomer('city'),
  state: ofCustomer('state'),
  zip: ofCustomer('zip'),
  status: column<JobStatusName>('status', 'text'),
  schedule: column<JobRecord['schedule']['status']>('schedule_status', 'text'),
  installerNote: column<string | null>('installer_note', 'text'),
  lastUpdated: column<Date>('last_updated_at', 'timestamptz'),
};

export type ContractorJobRow = RowOf<typeof COLUMNS>;

/** The columns of a {@link ContractorJobRow}, of rows of `jobs job`. */
export const CONTRACTOR_JOB_COLUMNS = selectList(COLUMNS, 'job');

/** A job as the public API shows it (spec: ContractorJob). */
export function shownContractorJob({ status, schedule, ...job }: ContractorJobRow): ContractorJob {
  const { id, workOrderNo, address, city, state, zip, installerNote } = job;
  return {
    ...{ id, workOrderNo, address, city, state, zip },
    stage: contractorJobStage(status, schedule),
    installerNote,
    lastUpdated: formatDateTime(job.lastUpdated),
    ...(address === ERASED_TEXT && { redacted: true }),
  };
}

/**
 * Progress of a job in the contractor's terms (spec: ContractorJob).
 *
 * Until a crew is on its way the schedule decides; from then on the status does.
 */
export function contractorJobStage(
  status: JobStatusName,
  schedule: JobRecord['schedule']['status'],
): ContractorJobStageName {
  switch (status) {
    case 'ASSIGNED':
    case 'ACKNOWLEDGED':
      return schedule === 'TENTATIVE' || schedule === 'CONFIRMED' ? 'SCHEDULED' : 'SOLD';
    case 'EN_ROUTE':
    case 'ON_SITE':
    case 'IN_PROGRESS':
      return 'IN_PROGRESS';
    case 'BLOCKED':
    case 'COMPLETE':
    case 'CANCELLED':
      return status;
    default:
      return assertNever(status);
  }
}

const LIST_JOBS: PreparedStatement = {
  name: 'list-contractor-jobs',
  text: `select ${CONTRACTOR_JOB_COLUMNS} from jobs job
     where selling_company_id = $1 and installer_company_id = $2
     order by last_updated_at desc, id desc limit $3`,
};

/**
 * Lists the jobs inside a boundary, most recently updated first (spec: Inbound, GET /inbound/jobs).
 *
 * A list with large notes ends early, see {@link pageWithinBytes}.
 */
export async function listContractorJobs(
  database: Queryable,
  { sellingCompanyId, installerCompanyId, limit }: ContractorJobBoundary & { readonly limit: number },
): Promise<ContractorJobs> {
  const rows = await database.query<ContractorJobRow>(LIST_JOBS, [
    sellingCompanyId,
    installerCompanyId,
    limit + 1,
  ]);
  const { page: jobs, hasMore } = pageWithinBytes(rows.map(shownContractorJob), limit, (job) =>
    JSON.stringify(job),
  );
  return { jobs: [...jobs], hasMore };
}
