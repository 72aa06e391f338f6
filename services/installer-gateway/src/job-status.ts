import { JobStatus } from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import type { JobStatusName } from '@partner/proto-contracts/public-api/installer-job';

/** The one place where the public names of job statuses meet their numbers between the services. */
export const JOB_STATUS_BY_NAME = {
  ASSIGNED: JobStatus.ASSIGNED,
  ACKNOWLEDGED: JobStatus.ACKNOWLEDGED,
  EN_ROUTE: JobStatus.EN_ROUTE,
  ON_SITE: JobStatus.ON_SITE,
  BLOCKED: JobStatus.BLOCKED,
  IN_PROGRESS: JobStatus.IN_PROGRESS,
  COMPLETE: JobStatus.COMPLETE,
  CANCELLED: JobStatus.CANCELLED,
} as const satisfies Record<JobStatusName, JobStatus>;
