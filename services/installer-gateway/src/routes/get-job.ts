import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import type { ApiKeyPrincipal } from '@partner/runtime/http/api-key-authentication';
import { defineEndpoint } from '@partner/runtime/http/endpoint';
import { jobText } from '../job-text.js';

/** `GET /partner/v1/jobs/{id}`: one job, 404 unless it is assigned to the company. */
export function getJob(deps: { readonly jobs: Pick<Client<typeof JobService>, 'getJob'> }) {
  return defineEndpoint<ApiKeyPrincipal, undefined, undefined>({
    method: 'get',
    path: '/partner/v1/jobs/:id',
    scope: 'jobs:read',
    async handle({ principal: { companyId }, params, call }) {
      const { resourceJson } = await deps.jobs.getJob({ companyId, jobId: params['id'] }, call);
      return { status: 200, text: jobText(resourceJson) };
    },
  });
}
