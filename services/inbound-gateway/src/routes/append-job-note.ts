import type { Client } from '@connectrpc/connect';
import type { ContractorJobService } from '@partner/proto-contracts/gen/partner/jobs/v1/contractor_job_service_pb';
import { appendJobNoteOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { idempotencyHeadersOf, idempotencyKeyOf } from '@partner/gateway-kit/idempotency';
import { invariant } from '@partner/kernel/invariant';
import { contractorBoundary } from '../contractor-boundary.js';

/**
 * `POST /inbound/jobs/{id}/status`: appends a note to a job inside the key's boundary and returns the job (200).
 * `Idempotency-Key` is optional.
 */
export function appendJobNote(deps: {
  readonly contractorJobs: Pick<Client<typeof ContractorJobService>, 'appendJobNote'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(appendJobNoteOperation, async (request) => {
    const { resourceJson, idempotency } = await deps.contractorJobs.appendJobNote(
      {
        ...contractorBoundary(request.principal),
        jobId: request.params['id'],
        idempotencyKey: idempotencyKeyOf(request),
        note: request.body.note,
      },
      request.call,
    );
    invariant(resourceJson !== undefined, 'job-state responds with the job');
    return { status: 200, text: resourceJson, headers: idempotencyHeadersOf(idempotency) };
  });
}
