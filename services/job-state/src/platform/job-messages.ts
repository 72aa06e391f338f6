import {
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import type { z } from 'zod';
import type { DescMessage } from '@bufbuild/protobuf';
import type { LockedJob } from '../jobs/job-record.js';
import {
  decideCancellation,
  decideCompletion,
  decideDocument,
  decideReadiness,
  decideSchedule,
  decideScope,
  type JobDecision,
} from './decide-job-change.js';
import {
  jobAssigned,
  type JobCommand,
  jobCreated,
  jobDocumentAvailable,
  jobEvent,
  jobReadinessChanged,
  jobScheduled,
  jobScopeChanged,
} from './job-commands.js';
import { platformMessageType, type PlatformMessageType } from './platform-message-type.js';
import { recordJobAssigned, recordJobUnassigned } from './record-job-assigned.js';
import { recordJobChange } from './record-job-change.js';
import { createdByJob, recordJobCreated } from './record-job-created.js';

const resourceId = ({ jobId }: JobCommand) => jobId;

/** The messages about jobs. */
export const jobMessages: readonly PlatformMessageType[] = [
  platformMessageType({
    schema: JobCreatedSchema,
    form: jobCreated,
    resourceId,
    creates: createdByJob,
    record: recordJobCreated,
  }),
  platformMessageType({
    schema: JobAssignedSchema,
    form: jobAssigned,
    resourceId,
    record: recordJobAssigned,
  }),
  platformMessageType({
    schema: JobUnassignedSchema,
    form: jobEvent,
    resourceId,
    record: recordJobUnassigned,
  }),
  aboutKnownJob(JobCancelledSchema, jobEvent, decideCancellation),
  aboutKnownJob(JobScopeChangedSchema, jobScopeChanged, decideScope),
  aboutKnownJob(JobReadinessChangedSchema, jobReadinessChanged, decideReadiness),
  aboutKnownJob(JobScheduledSchema, jobScheduled, decideSchedule),
  aboutKnownJob(JobDocumentAvailableSchema, jobDocumentAvailable, decideDocument),
  aboutKnownJob(JobCompletionAcceptedSchema, jobEvent, decideCompletion),
];

function aboutKnownJob<Command extends JobCommand>(
  schema: DescMessage,
  form: z.ZodType<Command>,
  decide: (job: LockedJob, command: Command) => JobDecision,
): PlatformMessageType {
  return platformMessageType({
    schema,
    form,
    resourceId,
    record: (tx, command, now) =>
      recordJobChange(
        tx,
        command.jobId,
        { occurredAt: command.occurredAt, decide: (job) => decide(job, command) },
        now,
      ),
  });
}
