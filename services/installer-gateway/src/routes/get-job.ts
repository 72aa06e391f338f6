import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { jobText } from '../job-text.js';

/** `GET /partner/v1/jobs/{id}`: one job, 404 unless it is assigned to the company. */
export function getJob(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'getJob'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(getJobOperation, async ({ principal: { companyId }, params, apiVersion, call }) => {
    const { resourceJson } = await deps.jobs.getJob({ companyId, jobId: params['id'] }, call);
    return { status: 200, text: jobText(apiVersion, resourceJson) };
  });
}
