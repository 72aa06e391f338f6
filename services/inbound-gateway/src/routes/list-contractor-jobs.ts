import type { Client } from '@connectrpc/connect';
import type { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { invariant } from '@partner/kernel/invariant';
import { contractorBoundary } from '../contractor-boundary.js';

/** `GET /inbound/jobs`: the jobs inside the key's boundary, the most recently updated first. */
export function listContractorJobs(deps: {
  readonly contractorJobs: Pick<Client<typeof ContractorJobService>, 'listContractorJobs'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(listContractorJobsOperation, async (request) => {
    const { resourceJson } = await deps.contractorJobs.listContractorJobs(
      { ...contractorBoundary(request.principal), limit: request.query.take },
      request.call,
    );
    invariant(resourceJson !== undefined, 'job-state responds with the jobs');
    return { status: 200, text: resourceJson };
  });
}
