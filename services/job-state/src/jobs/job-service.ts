import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import type {
  JobService,
  RecordStatusEventRequest,
  ReplaceAssignmentsRequest,
  SetScheduleRequest,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { ServiceError } from '@partner/kernel/service-error';
import { type Database, queryWithin } from '../database/database.js';
import { idempotencyOutcome } from '../idempotency/idempotency-outcome.js';
import { readBinding } from '../idempotency/read-binding.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { required } from '../rpc/required.js';
import type { JobWrite, JobWriteDeps, JobWritten } from './change-job.js';
import { readFeed } from './feed.js';
import { getJob } from './get-job.js';
import { readBlockerCode, readReportableStatus } from './job-status-wire.js';
import { listAssignedJobs } from './list-assigned-jobs.js';
import { listTechnicians } from './list-technicians.js';
import { recordStatusEvent } from './record-status-event.js';
import { replaceAssignments } from './replace-assignments.js';
import { readSubmittableScheduleStatus } from './schedule-status-wire.js';
import { setSchedule } from './set-schedule.js';

/** Serves the RPCs with which installer companies read and change their jobs. */
export function createJobService(
  deps: JobWriteDeps & {
    readonly database: Pick<Database, 'query'>;
    /** Retention of feed entries, in days. */
    readonly feedDays: number;
  },
): ServiceImpl<typeof JobService> {
  return {
    async listJobFeed(request, context) {
      const { entries, unassigned, hasMore } = await readFeed(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          afterSequence: request.afterSequence,
          limit: pageSize(required(request.limit, 'limit'), LIMITS.installerPageSize.max),
          includeUnassigned: request.includeUnassigned ?? false,
        },
        deps.feedDays,
      );
      return {
        entries: entries.map(({ sequence, changedAt, resource }) => ({
          sequence,
          changedAt: formatDateTime(changedAt),
          resourceJson: resource,
        })),
        unassigned: unassigned.map(({ sequence, jobId, unassignedAt }) => ({
          sequence,
          jobId,
          unassignedAt: formatDateTime(unassignedAt),
        })),
        hasMore,
      };
    },

    async listAssignedJobs(request, context) {
      const { jobs, hasMore, feedSequence } = await listAssignedJobs(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          afterJobId: request.afterJobId,
          limit: pageSize(required(request.limit, 'limit'), LIMITS.installerPageSize.max),
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
      const database = queryWithin(deps.database, callerLimits(request, context));
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
      return writtenMessage(
        await recordStatusEvent(deps, {
          ...readJobWrite(request, context),
          status,
          occurredAt: timestampDate(required(request.occurredAt, 'occurred_at')),
          note: request.note ?? null,
          blockerCode: readBlockerCode(status, request.blockerCode),
        }),
      );
    },

    async setSchedule(request, context) {
      const { startsAt, endsAt } = request;
      return writtenMessage(
        await setSchedule(deps, {
          ...readJobWrite(request, context),
          submitted: {
            status: readSubmittableScheduleStatus(required(request.status, 'status')),
            startsAt: startsAt === undefined ? null : timestampDate(startsAt),
            endsAt: endsAt === undefined ? null : timestampDate(endsAt),
            timeZone: required(request.timeZone, 'time_zone'),
          },
        }),
      );
    },

    async replaceAssignments(request, context) {
      return writtenMessage(
        await replaceAssignments(deps, {
          ...readJobWrite(request, context),
          membershipIds: readMembershipIds(request.membershipIds),
        }),
      );
    },

    async listTechnicians(request, context) {
      const { default: most, max } = LIMITS.techniciansPageSize;
      const { technicians, next } = await listTechnicians(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          after: request.after,
          limit: pageSize(request.limit ?? most, max),
        },
      );
      return { resourceJson: JSON.stringify(technicians), ...(next !== undefined && { next }) };
    },
  };
}

function readJobWrite(
  request: RecordStatusEventRequest | SetScheduleRequest | ReplaceAssignmentsRequest,
  context: HandlerContext,
): JobWrite {
  return {
    companyId: required(request.companyId, 'company_id'),
    jobId: required(request.jobId, 'job_id'),
    binding: readBinding(required(request.idempotencyKey, 'idempotency_key')),
    expectedVersion: required(request.expectedVersion, 'expected_version'),
    timeoutMs: context.timeoutMs(),
  };
}

function writtenMessage({ resource, idempotency }: JobWritten) {
  return {
    resourceJson: resource,
    ...(idempotency === undefined ? {} : { idempotency: idempotencyOutcome(idempotency) }),
  };
}

function readMembershipIds(given: readonly string[]): readonly string[] {
  if (given.length <= LIMITS.assignmentMembershipIds && new Set(given).size === given.length) return given;
  throw new ServiceError(
    'invalid_argument',
    `membershipIds must be at most ${LIMITS.assignmentMembershipIds}, each once`,
  );
}

function pageSize(limit: number, max: number): number {
  if (limit >= 1 && limit <= max) return limit;
  throw new ServiceError('invalid_argument', `limit must be from 1 to ${max}`);
}
