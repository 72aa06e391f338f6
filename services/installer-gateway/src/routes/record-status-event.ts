import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { expectedVersionOnTheWire } from '@partner/proto-contracts/public-api/expected-version';
import { recordStatusEventOperation } from '@partner/proto-contracts/public-api/operations/installer';
import type { ApiKeyPrincipal } from '@partner/runtime/http/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import { idempotencyHeadersOf, idempotencyKeyOf } from '@partner/runtime/http/idempotency';
import { invariant } from '@partner/runtime/invariant';
import { JOB_STATUS_BY_NAME } from '../job-status.js';
import { jobText } from '../job-text.js';

/** `POST /partner/v1/jobs/{id}/status-events`: moves a job's status once per `Idempotency-Key`, and answers with the job. */
export function recordStatusEvent(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'recordStatusEvent'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(recordStatusEventOperation, async (request) => {
    const { status, occurredAt, note, blockerCode, expectedVersion } = request.body;
    const idempotencyKey = idempotencyKeyOf(request);
    invariant(idempotencyKey, 'the endpoint requires an Idempotency-Key');
    const { resourceJson, idempotency } = await deps.jobs.recordStatusEvent(
      {
        companyId: request.principal.companyId,
        jobId: request.params['id'],
        idempotencyKey,
        status: JOB_STATUS_BY_NAME[status],
        occurredAt: timestampFromDate(new Date(occurredAt)),
        note,
        blockerCode,
        expectedVersion: expectedVersionOnTheWire(expectedVersion),
      },
      request.call,
    );
    return {
      status: 201,
      text: jobText(request.apiVersion, resourceJson),
      headers: idempotencyHeadersOf(idempotency),
    };
  });
}
