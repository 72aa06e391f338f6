import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { type JobService, JobStatus } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { recordStatusEventOperation } from '@partner/proto-contracts/resources/job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { writeJob } from '../write-job.js';

/** `POST /partner/v1/jobs/{id}/status-events`: moves a job's status once per `Idempotency-Key`, and returns the job. */
export function recordStatusEvent(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'recordStatusEvent'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(recordStatusEventOperation, (request) => {
    const { status, occurredAt, note, blockerCode } = request.body;
    return writeJob(request, 201, (fields, call) =>
      deps.jobs.recordStatusEvent(
        {
          ...fields,
          status: JobStatus[status],
          occurredAt: timestampFromDate(new Date(occurredAt)),
          note,
          blockerCode,
        },
        call,
      ),
    );
  });
}
