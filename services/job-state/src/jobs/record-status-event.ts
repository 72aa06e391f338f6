import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  JobStatus,
  JobStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { occurredAtProblem } from '@partner/proto-contracts/resources/job/job-writes';
import type { ReportableStatus } from '@partner/proto-contracts/resources/job/job-status-moves';
import { invalidArgument } from '@partner/kernel/process/validation';
import {
  changeJob,
  type JobWrite,
  type JobWriteDeps,
  type JobWritten,
  messageToPlatform,
} from './change-job.js';
import type { BlockerCode } from './job-record.js';
import { statusRefusal } from './moves.js';

/** A status that an installer company reports about one of its jobs. */
export interface StatusEvent extends JobWrite {
  readonly status: ReportableStatus;
  /** By the reporter's clock. */
  readonly occurredAt: Date;
  readonly note: string | null;
  /** Set only if the status is BLOCKED. */
  readonly blockerCode: BlockerCode | null;
}

/**
 * Changes a job's status as {@link changeJob} changes a job (spec: Installer v1, status-events).
 *
 * Fails with `invalid_argument` if `occurredAt` is too far from now, skipped for replays of a known key. Then fails with
 * `not_found`, `stale_version` or `transition_not_allowed`.
 */
export function recordStatusEvent(deps: JobWriteDeps, event: StatusEvent): Promise<JobWritten> {
  const { companyId, jobId, status, occurredAt, note, blockerCode } = event;
  return changeJob(deps, event, {
    log: { done: 'job.status_recorded', refused: 'job.status_refused', fields: { status } },
    what: 'status events',
    check(now) {
      const problem = occurredAtProblem(occurredAt, now);
      if (problem !== undefined) throw invalidArgument([{ path: 'occurredAt', message: problem }]);
    },
    decide({ status: previousStatus }, { version }) {
      const refusal = statusRefusal(previousStatus, status);
      if (refusal !== undefined) return { kind: 'refused', refusal };
      return {
        kind: 'changed',
        fields: { status, blockerCode },
        statusEvent: { occurredAt, note },
        events: [
          {
            event: 'install.status_changed',
            data: {
              jobId,
              previousStatus,
              status,
              occurredAt: formatDateTime(occurredAt),
              note,
              blockerCode,
            },
          },
        ],
        message: messageToPlatform(JobStatusChangedSchema, {
          jobId,
          version,
          previousStatus: JobStatus[previousStatus],
          status: JobStatus[status],
          occurredAt: timestampFromDate(occurredAt),
          companyId,
          ...(note === null ? {} : { note }),
          ...(blockerCode === null ? {} : { blockerCode }),
        }),
        logFields: { previousStatus },
      };
    },
  });
}
