import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { jobSchedule, jobStatus } from '../job/job.js';

/** Maximum entries of the history that {@link operatorJob} shows, the newest. */
export const OPERATOR_JOB_HISTORY = 50;

/** A job as operators see it: its state without the customer, the scope and any note. */
export const operatorJob = z.object({
  id: z.string(),
  version: z.int(),
  status: jobStatus,
  blockerCode: z.string().nullable(),
  sellingCompanyId: z.string(),
  /** Null: the job is not assigned. */
  installerCompanyId: z.string().nullable(),
  assignedAt: dateTimeOut.nullable(),
  schedule: jobSchedule,
  technicianIds: z.array(z.string()),
  createdAt: dateTimeOut,
  updatedAt: dateTimeOut,
  /** Reported statuses, newest first. */
  history: z.array(
    z.object({
      version: z.int(),
      previousStatus: jobStatus,
      status: jobStatus,
      blockerCode: z.string().nullable(),
      occurredAt: dateTimeOut,
      recordedAt: dateTimeOut,
    }),
  ),
});

export type OperatorJob = z.infer<typeof operatorJob>;
