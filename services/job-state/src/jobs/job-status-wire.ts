import { JobStatus } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import {
  BLOCKER_CODES,
  JOB_STATUSES,
  type JobStatusName,
  REPORTABLE_STATUSES,
} from '@partner/proto-contracts/public-api/installer-job';
import { ServiceError } from '@partner/runtime/service-error';
import type { BlockerCode } from './job-record.js';
import type { ReportableStatus } from './status-transitions.js';

/** Each status as it travels between services. */
export const JOB_STATUS_ON_THE_WIRE: Readonly<Record<JobStatusName, JobStatus>> = {
  ASSIGNED: JobStatus.ASSIGNED,
  ACKNOWLEDGED: JobStatus.ACKNOWLEDGED,
  EN_ROUTE: JobStatus.EN_ROUTE,
  ON_SITE: JobStatus.ON_SITE,
  BLOCKED: JobStatus.BLOCKED,
  IN_PROGRESS: JobStatus.IN_PROGRESS,
  COMPLETE: JobStatus.COMPLETE,
  CANCELLED: JobStatus.CANCELLED,
};

/** Reads a status that an installer may report; `invalid_argument` for any other, also one that this version does not know. */
export function readReportableStatus(status: JobStatus): ReportableStatus {
  const name = JOB_STATUSES.find((candidate) => JOB_STATUS_ON_THE_WIRE[candidate] === status);
  const reportable = REPORTABLE_STATUSES.find((candidate) => candidate === name);
  if (reportable === undefined)
    throw new ServiceError('invalid_argument', 'status is not one that can be reported');
  return reportable;
}

/** Reads a blocker code, which BLOCKED needs and no other status may have (spec: StatusEventIn). */
export function readBlockerCode(status: ReportableStatus, given: string | undefined): BlockerCode | null {
  if (status !== 'BLOCKED') {
    if (given === undefined) return null;
    throw new ServiceError('invalid_argument', 'blockerCode is allowed only when status is BLOCKED');
  }
  const code = BLOCKER_CODES.find((candidate) => candidate === given);
  if (code === undefined) throw new ServiceError('invalid_argument', 'blockerCode is missing or unknown');
  return code;
}
