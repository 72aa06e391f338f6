import type { DescMessage } from '@bufbuild/protobuf';
import {
  DocumentCategorySchema,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatusSchema,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { BLOCKER_CODES, DOCUMENT_CATEGORIES } from '@partner/proto-contracts/resources/job/job';
import { timeZoneName } from '@partner/proto-contracts/values/time-zone-name';
import { z } from 'zod';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import type { LockedJob } from '../jobs/job-record.js';
import { scheduleTimesViolation } from '../jobs/moves.js';
import {
  decideAssignment,
  decideCancellation,
  decideCompletion,
  decideDocument,
  decideReadiness,
  decideSchedule,
  decideScope,
  type JobDecision,
} from './decide-job-change.js';
import { flag, id, NAME_LENGTH, nameOf, optionalInstant, text } from './message-type/message-fields.js';
import { classObstacle } from './message-type/obstacles.js';
import {
  type PlatformEffect,
  platformMessageType,
  type PlatformMessageType,
} from './message-type/platform-message-type.js';
import { recordJobChange } from './record-job-change.js';
import { aboutJob, jobCreatedMessage, scope } from './record-job-created.js';

const jobAssigned = z.object({ ...aboutJob, installerCompanyId: id('cmp') });
const jobEvent = z.object(aboutJob);
const jobScopeChanged = z.object({ ...aboutJob, scope });

const jobReadinessChanged = z
  .object({
    ...aboutJob,
    ready: flag,
    blockerCodes: z
      .array(z.enum(BLOCKER_CODES, 'is not a known code'))
      .refine((codes) => new Set(codes).size === codes.length, 'holds a code twice'),
  })
  .refine(({ ready, blockerCodes }) => !ready || blockerCodes.length === 0, {
    path: ['blockerCodes'],
    message: 'holds codes while ready',
  });

const jobScheduled = z
  .object({
    ...aboutJob,
    status: nameOf(JobScheduleStatusSchema, ['TENTATIVE', 'CONFIRMED', 'CANCELLED']),
    startsAt: optionalInstant,
    endsAt: optionalInstant,
    timeZone: z
      .string({ error: 'is missing' })
      .refine((name) => timeZoneName.safeParse(name).success, 'is not an IANA time zone name'),
  })
  .superRefine((schedule, context) => {
    const violation = scheduleTimesViolation(schedule);
    if (violation !== undefined) {
      context.addIssue({ code: 'custom', path: [violation.field], message: violation.problem });
    }
  })
  .transform((schedule) =>
    schedule.status === 'CANCELLED' ? { ...schedule, startsAt: null, endsAt: null } : schedule,
  );

const jobDocumentAvailable = z.object({
  ...aboutJob,
  documentId: id('doc'),
  category: nameOf(DocumentCategorySchema, DOCUMENT_CATEGORIES),
  mime: text(NAME_LENGTH).refine((value) => /^[\w.+-]+\/[\w.+-]+$/.test(value), 'is not a media type'),
});

type JobCommand = z.infer<typeof jobEvent>;

const resourceId = ({ jobId }: JobCommand) => jobId;

export const jobMessages: readonly PlatformMessageType[] = [
  jobCreatedMessage,
  platformMessageType({
    schema: JobAssignedSchema,
    form: jobAssigned,
    resourceId,
    record: recordJobAssigned,
  }),
  aboutKnownJob(JobUnassignedSchema, jobEvent, (job, command) =>
    decideAssignment(job, { ...command, companyId: null }),
  ),
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
    record: (tx, command, now) => recordJobChange(tx, command, (job) => decide(job, command), now),
  });
}

const READ_CLASS: PreparedStatement = {
  name: 'read-class-for-job',
  text: 'select (select class from companies where id = $2) as class from jobs where id = $1',
};

/**
 * Assigns a job to an installer company, as {@link decideAssignment} decides.
 *
 * It pairs the companies, also if a newer assignment is in effect already. Locks: as {@link recordJobChange}, and the pair
 * while it is new.
 */
async function recordJobAssigned(
  tx: Transaction,
  command: z.infer<typeof jobAssigned>,
  now: Date,
): Promise<PlatformEffect> {
  const { jobId, installerCompanyId: companyId } = command;
  const [known] = await tx.query<{ class: string | null }>(READ_CLASS, [jobId, companyId]);
  if (known === undefined) return { kind: 'early', missing: jobId };
  return (
    classObstacle(companyId, known.class, 'INSTALLER') ??
    recordJobChange(tx, command, (job) => decideAssignment(job, { ...command, companyId }), now, companyId)
  );
}
