import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { JobService } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { LIMITS } from '@partner/proto-contracts/public-api/limits';
import type { Logger } from '@partner/runtime/logger';
import { ServiceError } from '@partner/runtime/service-error';
import { type Database, queryWithin } from '../database/database.js';
import { idempotencyOutcome } from '../idempotency/idempotency-outcome.js';
import { readBinding } from '../idempotency/read-binding.js';
import { required } from '../rpc/required.js';
import { readFeed } from './feed.js';
import { getJob } from './get-job.js';
import { listAssignedJobs } from './list-assigned-jobs.js';
import { readBlockerCode, readReportableStatus } from './job-status-wire.js';
import { recordStatusEvent } from './record-status-event.js';

/** Serves the RPCs with which installer companies read and move their jobs. */
export function createJobService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
  readonly logger: Logger;
}): ServiceImpl<typeof JobService> {
  return {
    async listJobFeed(request, context) {
      const { entries, hasMore } = await readFeed(queryWithin(deps.database, context.timeoutMs()), {
        companyId: required(request.companyId, 'company_id'),
        afterSequence: request.afterSequence,
        limit: pageSize(request.limit),
      });
      return {
        entries: entries.map(({ sequence, changedAt, resource }) => ({
          sequence,
          changedAt: formatDateTime(changedAt),
          resourceJson: resource,
        })),
        hasMore,
      };
    },

    async listAssignedJobs(request, context) {
      const { jobs, hasMore, feedSequence } = await listAssignedJobs(
        queryWithin(deps.database, context.timeoutMs()),
        {
          companyId: required(request.companyId, 'company_id'),
          afterJobId: request.afterJobId,
          limit: pageSize(request.limit),
        },
      );
      return {
        jobs: jobs.map(({ jobId, changedAt, resource }) => ({
          jobId,
          changedAt: formatDateTime(changedAt),
          resourceJson: resource,
        })),
        hasMore,
        feedSequence,
      };
    },

    async getJob(request, context) {
      const database = queryWithin(deps.database, context.timeoutMs());
      const resourceJson = await getJob(
        { database },
        {
          companyId: required(request.companyId, 'company_id'),
          jobId: required(request.jobId, 'job_id'),
        },
      );
      return { resourceJson };
    },

    async recordStatusEvent(request, context) {
      const status = readReportableStatus(required(request.status, 'status'));
      const { resource, idempotency } = await recordStatusEvent(deps, {
        companyId: required(request.companyId, 'company_id'),
        jobId: required(request.jobId, 'job_id'),
        binding: readBinding(required(request.idempotencyKey, 'idempotency_key')),
        status,
        occurredAt: timestampDate(required(request.occurredAt, 'occurred_at')),
        note: request.note ?? null,
        blockerCode: readBlockerCode(status, request.blockerCode),
        expectedVersion: required(request.expectedVersion, 'expected_version'),
        timeoutMs: context.timeoutMs(),
      });
      return {
        resourceJson: resource,
        ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
      };
    },

    setSchedule() {
      throw new ServiceError('unavailable', 'not there yet');
    },

    replaceAssignments() {
      throw new ServiceError('unavailable', 'not there yet');
    },

    listTechnicians() {
      throw new ServiceError('unavailable', 'not there yet');
    },
  };
}

function pageSize(limit: number | undefined): number {
  const size = required(limit, 'limit');
  if (size >= 1 && size <= LIMITS.installerPageSize.max) return size;
  throw new ServiceError('invalid_argument', `limit must be from 1 to ${LIMITS.installerPageSize.max}`);
}
