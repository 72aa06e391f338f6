import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { operatorJob } from '../../resources/operator-job/operator-job.js';
import { restoreCheck } from '../../resources/restore-check/restore-check.js';
import { dateTimeOut } from '../../values/date-time.js';
import { pageSize } from './page-size.js';

/** Reads the state of a job without personal data. */
export const getOperatorJobOperation = defineInternalOperation({
  id: 'getOperatorJob',
  repeatable: true,
  input: z.object({ jobId: z.string() }),
  output: operatorJob,
});

/** Lists what the newest restore has lost and left to do, by company. */
export const checkRestoreOperation = defineInternalOperation({
  id: 'checkRestore',
  repeatable: true,
  input: z.object({ afterCompanyId: z.string().optional(), limit: pageSize }),
  output: restoreCheck,
});

const age = z.int().optional();

/** Counts the waiting work. Ages are in milliseconds, absent without any. */
export const getBacklogOperation = defineInternalOperation({
  id: 'getBacklog',
  repeatable: true,
  input: z.object({}),
  output: z.object({
    environment: z.string(),
    dueDeliveries: z.int(),
    /** Of due deliveries to working endpoints. Those to endpoints at capacity or failing wait for their own endpoint. */
    oldestDueMs: age,
    leasedDeliveries: z.int(),
    expiredLeases: z.int(),
    waitingRetries: z.int(),
    heldDeliveries: z.int(),
    outboxMessages: z.int(),
    oldestOutboxMs: age,
    waitingPlatformMessages: z.int(),
    oldestWaitingMs: age,
    degradedSubscriptions: z.int(),
    failingSubscriptions: z.int(),
    databaseConnections: z.int(),
    databaseConnectionsMax: z.int(),
    /** By the clock of job-state. */
    now: dateTimeOut,
    databaseNow: dateTimeOut,
    busyDueDeliveries: z.int(),
    oldestBusyDueMs: age,
    failingDueDeliveries: z.int(),
    oldestFailingDueMs: age,
  }),
});
