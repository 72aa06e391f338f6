import type { ServiceImpl } from '@connectrpc/connect';
import type { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import type { Logger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import { type Database, queryWithin } from '../database/database.js';
import { idempotencyOutcome } from '../idempotency/idempotency-outcome.js';
import { readBinding } from '../idempotency/read-binding.js';
import { required } from '../rpc/required.js';
import { appendJobNote } from './append-job-note.js';
import type { ContractorJobBoundary } from './contractor-job-resource.js';
import { listContractorJobs } from './list-contractor-jobs.js';

/** Serves the RPCs with which contractors follow the jobs that they sold. */
export function createContractorJobService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): ServiceImpl<typeof ContractorJobService> {
  return {
    async listContractorJobs(request, context) {
      const boundary = boundaryOf(request);
      const limits = { companyId: boundary.sellingCompanyId, timeoutMs: context.timeoutMs() };
      const jobs = await listContractorJobs(queryWithin(deps.database, limits), {
        ...boundary,
        limit: pageSize(request.limit),
      });
      return { resourceJson: JSON.stringify(jobs) };
    },

    async appendJobNote(request, context) {
      const { resource, idempotency } = await appendJobNote(deps, {
        ...boundaryOf(request),
        jobId: required(request.jobId, 'job_id'),
        binding: request.idempotencyKey === undefined ? undefined : readBinding(request.idempotencyKey),
        note: required(request.note, 'note'),
        timeoutMs: context.timeoutMs(),
      });
      return {
        resourceJson: resource,
        ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
      };
    },
  };
}

function boundaryOf(request: {
  readonly sellingCompanyId?: string | undefined;
  readonly installerCompanyId?: string | undefined;
}): ContractorJobBoundary {
  return {
    sellingCompanyId: required(request.sellingCompanyId, 'selling_company_id'),
    installerCompanyId: required(request.installerCompanyId, 'installer_company_id'),
  };
}

function pageSize(limit: number | undefined): number {
  const size = required(limit, 'limit');
  if (size >= 1 && size <= LIMITS.inboundPageSize.max) return size;
  throw new ServiceError('invalid_argument', `limit must be from 1 to ${LIMITS.inboundPageSize.max}`);
}
