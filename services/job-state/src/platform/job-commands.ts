import {
  DocumentCategorySchema,
  JobScheduleStatusSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { BLOCKER_CODES, DOCUMENT_CATEGORIES } from '@partner/proto-contracts/resources/job/job';
import { timeZoneName } from '@partner/proto-contracts/values/time-zone-name';
import { z } from 'zod';
import { scheduleTimesViolation } from '../jobs/schedule-moves.js';
import {
  CODE_LENGTH,
  count,
  flag,
  id,
  instant,
  list,
  NAME_LENGTH,
  nameOf,
  optionalInstant,
  optionalText,
  text,
  TEXT_LENGTH,
  version,
} from './message-fields.js';

const PHONE_LENGTH = 40;

const scopeItem = z.object({
  name: text(TEXT_LENGTH),
  model: optionalText(TEXT_LENGTH),
  quantity: count,
});

const scope = z.object(
  {
    packageName: text(TEXT_LENGTH),
    systemType: text(TEXT_LENGTH),
    equipment: list(scopeItem),
    accessories: list(scopeItem),
    supplierSources: list(z.object({ name: text(TEXT_LENGTH), reference: optionalText(TEXT_LENGTH) })),
    scopeVersion: count,
  },
  'is missing',
);

/** The common fields of messages about a job. */
const aboutJob = { jobId: id('job'), version, occurredAt: instant };

export const jobCreated = z.object({
  ...aboutJob,
  version: version.refine((value) => value === 1, 'is not 1'),
  sellingCompanyId: id('cmp'),
  projectId: id('prj').optional(),
  workOrderNo: optionalText(CODE_LENGTH),
  customer: z.object(
    {
      name: text(NAME_LENGTH),
      phone: text(PHONE_LENGTH),
      line1: text(TEXT_LENGTH),
      city: text(TEXT_LENGTH),
      state: text(TEXT_LENGTH),
      zip: text(TEXT_LENGTH),
    },
    'is missing',
  ),
  scope,
});

export const jobAssigned = z.object({ ...aboutJob, installerCompanyId: id('cmp') });
export const jobEvent = z.object(aboutJob);
export const jobScopeChanged = z.object({ ...aboutJob, scope });

export const jobReadinessChanged = z
  .object({
    ...aboutJob,
    ready: flag,
    blockerCodes: z
      .array(z.enum(BLOCKER_CODES, 'is no code that is known'))
      .refine((codes) => new Set(codes).size === codes.length, 'holds a code twice'),
  })
  .refine(({ ready, blockerCodes }) => !ready || blockerCodes.length === 0, {
    path: ['blockerCodes'],
    message: 'holds codes while ready',
  });

export const jobScheduled = z
  .object({
    ...aboutJob,
    status: nameOf(JobScheduleStatusSchema, ['TENTATIVE', 'CONFIRMED', 'CANCELLED']),
    startsAt: optionalInstant,
    endsAt: optionalInstant,
    timeZone: z
      .string({ error: 'is missing' })
      .refine((name) => timeZoneName.safeParse(name).success, 'is no IANA time zone name'),
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

export const jobDocumentAvailable = z.object({
  ...aboutJob,
  documentId: id('doc'),
  category: nameOf(DocumentCategorySchema, DOCUMENT_CATEGORIES),
  mime: text(NAME_LENGTH).refine((value) => /^[\w.+-]+\/[\w.+-]+$/.test(value), 'is no media type'),
});

/** A job that a sales company has sold, as the platform reports it. */
export type JobCreatedCommand = z.infer<typeof jobCreated>;
/** A job that was assigned to an installer company, as the platform reports it. */
export type JobAssignedCommand = z.infer<typeof jobAssigned>;
/** A job event without further fields, as the platform reports it. */
export type JobCommand = z.infer<typeof jobEvent>;
