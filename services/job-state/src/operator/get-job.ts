import {
  OPERATOR_JOB_HISTORY,
  type OperatorJob,
} from '@partner/proto-contracts/resources/operator-job/operator-job';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { notFound } from '@partner/kernel/process/service-error';
import type { Queryable } from '../database/database.js';

type Dates = 'assignedAt' | 'createdAt' | 'updatedAt';
type Schedule = OperatorJob['schedule'];

interface JobRow extends Omit<OperatorJob, Dates | 'schedule' | 'history'> {
  readonly assignedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly scheduleStatus: Schedule['status'];
  readonly startsAt: Date | null;
  readonly endsAt: Date | null;
  readonly timeZone: Schedule['timeZone'];
}

interface HistoryRow extends Omit<OperatorJob['history'][number], 'occurredAt' | 'recordedAt'> {
  readonly occurredAt: Date;
  readonly recordedAt: Date;
}

/**
 * Returns the state of a job with the newest statuses of its history, without personal data (decision OPERATE-1). Fails with
 * `not_found`.
 */
export async function getOperatorJob(database: Queryable, jobId: string): Promise<OperatorJob> {
  const [job] = await database.query<JobRow>(
    `select id, version, status, blocker_code as "blockerCode", selling_company_id as "sellingCompanyId",
       installer_company_id as "installerCompanyId", assigned_at as "assignedAt", schedule_status as "scheduleStatus",
       schedule_starts_at as "startsAt", schedule_ends_at as "endsAt", schedule_time_zone as "timeZone",
       array(select assigned ->> 'membershipId' from jsonb_array_elements(technician_assignments) as assigned) as "technicianIds",
       created_at as "createdAt", updated_at as "updatedAt"
     from jobs where id = $1`,
    [jobId],
  );
  if (job === undefined) throw notFound(`job ${jobId}`);
  const history = await database.query<HistoryRow>(
    `select version, previous_status as "previousStatus", status, blocker_code as "blockerCode", occurred_at as "occurredAt",
       recorded_at as "recordedAt"
     from job_status_events where job_id = $1 order by version desc limit $2`,
    [jobId, OPERATOR_JOB_HISTORY],
  );
  const { scheduleStatus, startsAt, endsAt, timeZone, ...state } = job;
  return {
    ...state,
    assignedAt: formatOptionalDateTime(job.assignedAt),
    schedule: {
      status: scheduleStatus,
      startsAt: formatOptionalDateTime(startsAt),
      endsAt: formatOptionalDateTime(endsAt),
      timeZone,
    },
    createdAt: formatDateTime(job.createdAt),
    updatedAt: formatDateTime(job.updatedAt),
    history: history.map((entry) => ({
      ...entry,
      occurredAt: formatDateTime(entry.occurredAt),
      recordedAt: formatDateTime(entry.recordedAt),
    })),
  };
}
