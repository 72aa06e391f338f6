import {
  type ScheduleStatus,
  ScheduleStatusSchema,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import { SUBMITTABLE_SCHEDULE_STATUSES } from '@partner/proto-contracts/resources/job/job-writes';
import type { SubmittableScheduleStatus } from '@partner/proto-contracts/resources/job/schedule-status-moves';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { ServiceError } from '@partner/kernel/service-error';

/** Reads a schedule status that an installer may submit. Throws `invalid_argument` for any other, including unknown ones. */
export function readSubmittableScheduleStatus(given: ScheduleStatus): SubmittableScheduleStatus {
  const status = enumName(ScheduleStatusSchema, SUBMITTABLE_SCHEDULE_STATUSES, given);
  if (status === undefined)
    throw new ServiceError('invalid_argument', 'status is not one that can be submitted');
  return status;
}
