import type { Client } from '@connectrpc/connect';
import type { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import type { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { contractorBoundary } from '../contractor-boundary.js';
import { contractorJobFrom } from '../contractor-job.js';

/** `GET /inbound/jobs`: the jobs inside the key's boundary, the most recently updated first. */
export function listContractorJobs(deps: {
  readonly contractorJobs: Pick<Client<typeof ContractorJobService>, 'listContractorJobs'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(listContractorJobsOperation, async (request) => {
    const { jobs } = await deps.contractorJobs.listContractorJobs(
      { ...contractorBoundary(request.principal), limit: request.query.take },
      request.call,
    );
    const json = { jobs: jobs.map(contractorJobFrom) } satisfies z.input<typeof contractorJobsResponse>;
    return { status: 200, json };
  });
}
