import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { type JobService, ScheduleStatus } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { setScheduleOperation } from '@partner/proto-contracts/resources/job/operations';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/api-key-authentication';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { writeJob } from '../write-job.js';

/**
 * `PUT /partner/v1/jobs/{id}/schedule`: sets or cancels a job's schedule once per `Idempotency-Key`, and returns the
 * job.
 */
export function setSchedule(deps: {
  readonly jobs: Pick<Client<typeof JobService>, 'setSchedule'>;
}): AnyEndpoint<ApiKeyPrincipal> {
  return serveOperation(setScheduleOperation, (request) => {
    const { status, startsAt, endsAt, timeZone } = request.body;
    return writeJob(request, 200, (fields, call) =>
      deps.jobs.setSchedule(
        {
          ...fields,
          status: ScheduleStatus[status],
          startsAt: timestampOf(startsAt),
          endsAt: timestampOf(endsAt),
          timeZone,
        },
        call,
      ),
    );
  });
}

function timestampOf(dateTime: string | null): Timestamp | undefined {
  return dateTime === null ? undefined : timestampFromDate(new Date(dateTime));
}
