import type { ContractorJobs } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';
import { pageWithinBytes } from '../rpc/page-within-bytes.js';
import {
  CONTRACTOR_JOB_COLUMNS,
  type ContractorJobBoundary,
  type ContractorJobRow,
  shownContractorJob,
} from './contractor-job-resource.js';

const LIST_JOBS: PreparedStatement = {
  name: 'list-contractor-jobs',
  text: `select ${CONTRACTOR_JOB_COLUMNS} from jobs
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
