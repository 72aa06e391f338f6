import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { bookAppointmentOperation } from '@partner/proto-contracts/resources/appointment/operations';
import { contractorJobsResponse } from '@partner/proto-contracts/resources/contractor-job/contractor-job';
import * as contractorJobs from '@partner/proto-contracts/resources/contractor-job/operations';
import * as jobs from '@partner/proto-contracts/resources/job/operations';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { createLeadOperation } from '@partner/proto-contracts/resources/lead/operations';
import type { Implementation } from '@partner/kernel/amqp/implement';
import type { OperationReply } from '@partner/kernel/amqp/operation-call';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { z } from 'zod';
import * as appointments from '../appointments/book-appointment.js';
import * as contractors from '../contractor-jobs/contractor-jobs.js';
import type { Database } from '../database/database.js';
import type { IdempotencyBinding, WriteDeps } from '../idempotency/run-idempotent.js';
import * as reads from '../jobs/job-reads.js';
import * as writes from '../jobs/job-writes.js';
import * as leads from '../leads/create-lead.js';
import { TEST_NOW } from './test-jobs.js';

/** What a call says beside its body. Its dates may be instants. */
interface Sent {
  readonly companyId: string;
  /** The installer company that the key of a sales company is bound to. */
  readonly installerCompanyId?: string;
  readonly jobId?: string;
  readonly binding?: IdempotencyBinding | undefined;
  readonly timeoutMs?: number | undefined;
  readonly take?: number;
  readonly [field: string]: unknown;
}

type Deps<On> = Partial<Omit<WriteDeps, 'database'>> & { readonly database: On };

/** Calls an operation in the name of a key, with a body and a response as over the broker. */
function calling<On, Output>(
  operation: AnyOperation,
  implementationOf: (deps: Omit<WriteDeps, 'database'> & { readonly database: On }) => Implementation,
  read: (reply: OperationReply) => Output,
) {
  return async (deps: Deps<On>, sent: Sent): Promise<Output> => {
    const { companyId, installerCompanyId, jobId = '', binding, timeoutMs, take, ...body } = sent;
    const implementation = implementationOf({ clock: () => TEST_NOW, logger: silentLogger, ...deps });
    const { call } = inProcessOperations({ implementations: [implementation], callers: ['key'] });
    const reply = await call(
      operation,
      {
        caller: {
          ...{ kind: 'key', companyId, companyClass: 'SALES', keyId: 'key_1' },
          ...(installerCompanyId !== undefined && { boundCompanyId: installerCompanyId }),
        },
        params: { id: jobId },
        ...(take === undefined
          ? { body: { ...body, ...(operation.idempotencyKeyInBody && { idempotencyKey: binding?.key }) } }
          : { query: { take: String(take) } }),
        ...(binding !== undefined && {
          idempotencyKey: {
            key: binding.key,
            request: binding.operation,
            bodySha256: Buffer.from(binding.bodySha256).toString('hex'),
          },
        }),
      },
      { timeoutMs },
    );
    return read(reply);
  };
}

/** A response with a job, which is returned as it is stored. */
function jobOf({ json, idempotency }: OperationReply) {
  return { resource: json.slice('{"resource":'.length, -1), idempotency };
}

export type JobWritten = ReturnType<typeof jobOf>;

export const recordStatusEvent = calling(jobs.recordStatusEventOperation, writes.recordStatusEvent, jobOf);
export const setSchedule = calling(jobs.setScheduleOperation, writes.setSchedule, jobOf);
export const replaceAssignments = calling(jobs.replaceAssignmentsOperation, writes.replaceAssignments, jobOf);
export const appendJobNote = calling(
  contractorJobs.appendJobNoteOperation,
  contractors.appendJobNote,
  (reply) => reply,
);
const getOneJob = calling(jobs.getJobOperation, reads.getJob, (reply) => jobOf(reply).resource);
export const listContractorJobs = calling(
  contractorJobs.listContractorJobsOperation,
  contractors.listContractorJobs,
  ({ json }) => contractorJobsResponse.parse(JSON.parse(json)),
);
export const createLead = calling(createLeadOperation, leads.createLead, ({ json, ...outcome }) => ({
  ...outcome,
  result: z.discriminatedUnion('status', [leadCreated, leadMerged]).parse(JSON.parse(json)),
}));
export const bookAppointment = calling(
  bookAppointmentOperation,
  appointments.bookAppointment,
  ({ json, ...outcome }) => ({
    ...outcome,
    ...appointmentBooked.omit({ status: true }).parse(JSON.parse(json)),
  }),
);

/** The projection of a job as its installer company reads it. */
export function getJob(database: Pick<Database, 'query'>, companyId: string, jobId: string): Promise<string> {
  return getOneJob({ database }, { companyId, jobId });
}
