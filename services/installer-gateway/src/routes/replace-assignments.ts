import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { replaceAssignmentsOperation } from '@partner/proto-contracts/resources/job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { writeJob } from '../write-job.js';

/**
 * `PUT /partner/v1/jobs/{id}/assignments`: replaces all technicians of a job once per `Idempotency-Key`, and returns
 * the job.
 */
export function replaceAssignments(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'replaceAssignments'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(replaceAssignmentsOperation, (request) => {
    const { membershipIds } = request.body;
    return writeJob(request, 200, (fields, call) =>
      deps.jobs.replaceAssignments({ ...fields, membershipIds }, call),
    );
  });
}
