import { notFound } from '@partner/kernel/process/service-error';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Queryable } from '../database/database.js';

const GET_JOB: PreparedStatement = {
  name: 'get-job',
  text: 'select projection from jobs where id = $1 and installer_company_id = $2',
};

/** Reads a job's projection as stored text. Throws `not_found` unless the job is assigned to the company. */
export async function getJob(
  deps: { readonly database: Queryable },
  query: { readonly companyId: string; readonly jobId: string },
): Promise<string> {
  const [job] = await deps.database.query<{ projection: string }>(GET_JOB, [query.jobId, query.companyId]);
  if (job === undefined) throw notFound('job');
  return job.projection;
}
