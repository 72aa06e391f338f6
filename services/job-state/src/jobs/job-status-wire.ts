import { type JobStatus, JobStatusSchema } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { BLOCKER_CODES, REPORTABLE_STATUSES } from '@partner/proto-contracts/resources/job/job';
import type { ReportableStatus } from '@partner/proto-contracts/resources/job/job-status-moves';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { ServiceError } from '@partner/kernel/service-error';
import type { BlockerCode } from './job-record.js';

/** Reads a status that an installer may report. Throws `invalid_argument` for any other, including unknown ones. */
export function readReportableStatus(given: JobStatus): ReportableStatus {
  const status = enumName(JobStatusSchema, REPORTABLE_STATUSES, given);
  if (status === undefined)
    throw new ServiceError('invalid_argument', 'status is not one that can be reported');
  return status;
}

/** Reads a blocker code, which is required for BLOCKED and forbidden otherwise (spec: StatusEventIn). */
export function readBlockerCode(status: ReportableStatus, given: string | undefined): BlockerCode | null {
  if (status !== 'BLOCKED') {
    if (given === undefined) return null;
    throw new ServiceError('invalid_argument', 'blockerCode is allowed only when status is BLOCKED');
  }
  const code = BLOCKER_CODES.find((candidate) => candidate === given);
  if (code === undefined) throw new ServiceError('invalid_argument', 'blockerCode is missing or unknown');
  return code;
}
