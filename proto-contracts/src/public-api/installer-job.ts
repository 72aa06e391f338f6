import { z } from 'zod';
import { boundedText } from './bounded-text.js';
import { dateTimeIn, dateTimeOut } from './date-time.js';
import { expectedVersion } from './expected-version.js';
import { LIMITS } from './limits.js';
import { pageLimit } from './page-limit.js';
import { CURRENT_API_VERSION } from './versions.js';

/** Every status of a job, in lifecycle order. */
export const JOB_STATUSES = [
  'ASSIGNED',
  'ACKNOWLEDGED',
  'EN_ROUTE',
  'ON_SITE',
  'BLOCKED',
  'IN_PROGRESS',
  'COMPLETE',
  'CANCELLED',
] as const;

export type JobStatusName = (typeof JOB_STATUSES)[number];

/** The statuses that an installer may report. */
export const REPORTABLE_STATUSES = [
  'ACKNOWLEDGED',
  'EN_ROUTE',
  'ON_SITE',
  'BLOCKED',
  'IN_PROGRESS',
  'COMPLETE',
] as const satisfies readonly JobStatusName[];

/** Reasons for which work cannot continue. */
export const BLOCKER_CODES = [
  'CUSTOMER_UNAVAILABLE',
  'SITE_NOT_READY',
  'MATERIAL_MISSING',
  'EQUIPMENT_DAMAGED',
  'PERMIT',
  'WEATHER',
  'SAFETY',
  'OTHER',
] as const;

export const SCHEDULE_STATUSES = ['UNSCHEDULED', 'TENTATIVE', 'CONFIRMED', 'CANCELLED'] as const;

export const DOCUMENT_CATEGORIES = [
  'SCOPE',
  'PERMIT',
  'MANUAL',
  'WARRANTY',
  'COMPLETION',
  'CONTRACT_METADATA',
] as const;

/** A status of a job. */
export const jobStatus = z.enum(JOB_STATUSES).meta({ id: 'JobStatus', description: 'The status of a job.' });

/** A status of a schedule. */
export const scheduleStatus = z
  .enum(SCHEDULE_STATUSES)
  .meta({ id: 'ScheduleStatus', description: 'The status of a schedule.' });

const scopeItem = z
  .strictObject({
    name: z.string().meta({ description: 'What it is.' }),
    model: z.string().nullable().meta({ description: "The maker's model name." }),
    quantity: z.int().meta({ description: 'How many.' }),
  })
  .meta({ id: 'EquipmentItem', description: 'Equipment or an accessory to install.' });

/** When work is planned. */
export const jobSchedule = z
  .strictObject({
    status: scheduleStatus,
    startsAt: dateTimeOut.nullable(),
    endsAt: dateTimeOut.nullable(),
    timeZone: z.string().nullable().meta({ description: 'IANA name of the time zone to show the times in.' }),
  })
  .meta({ id: 'JobSchedule', description: 'When work is planned.' });

/** Codes of blockers before the start of work. */
export const blockerCodes = z.array(z.string()).meta({
  description:
    'What keeps work from beginning. While the status is `BLOCKED`, the `blockerCode` of the status event is among them.',
});

/**
 * The installer-safe projection (spec: InstallerJob). Strict: a field that is not listed here cannot be sent. Customer
 * email, prices, costs, margin, financing, payments and signatures are deliberately not listed (spec: rule 6).
 */
export const installerJob = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the job.' }),
    version: z.int().min(1).meta({
      description:
        'Begins at 1 and rises by 1 with each change of the job. Send it back as `expectedVersion`.',
    }),
    status: jobStatus,
    company: z
      .strictObject({
        id: z.string().meta({ description: 'The id of the company.' }),
        name: z.string().meta({ description: 'The name of the company.' }),
      })
      .meta({ id: 'SellingCompany', description: 'The company that sold the job.' }),
    customer: z
      .strictObject({
        name: z.string().meta({ description: 'The name of the customer.' }),
        phone: z.string().meta({ description: 'The phone number of the customer.' }),
        address: z
          .strictObject({
            line1: z.string().meta({ description: 'Street and number.' }),
            city: z.string().meta({ description: 'The city.' }),
            state: z.string().meta({ description: 'The state, e.g. `TX`.' }),
            zip: z.string().meta({ description: 'The ZIP code.' }),
          })
          .meta({ id: 'Address', description: 'Where the work is done.' }),
      })
      .meta({ id: 'Customer', description: 'The customer of a job.' }),
    scope: z
      .strictObject({
        packageName: z.string().meta({ description: 'The name of the package that the customer bought.' }),
        systemType: z.string().meta({ description: 'The kind of system, e.g. `HEAT_PUMP`.' }),
        equipment: z.array(scopeItem).meta({ description: 'The equipment to install.' }),
        accessories: z.array(scopeItem).meta({ description: 'The accessories to install.' }),
        supplierSources: z
          .array(
            z
              .strictObject({
                name: z.string().meta({ description: 'The name of the supplier.' }),
                reference: z.string().nullable().meta({ description: 'The order number at the supplier.' }),
              })
              .meta({ id: 'SupplierSource', description: 'A supplier and the order there.' }),
          )
          .meta({ description: 'Where the material comes from.' }),
        scopeVersion: z.int().meta({ description: 'Rises with each change of the scope.' }),
      })
      .meta({ id: 'JobScope', description: 'What is to be installed.' }),
    schedule: jobSchedule,
    readiness: z
      .strictObject({
        ready: z.boolean().meta({ description: 'True: work can begin.' }),
        blockerCodes,
      })
      .meta({ id: 'Readiness', description: 'Whether work can begin.' }),
    documents: z
      .array(
        z
          .strictObject({
            id: z.string().meta({ description: 'The id of the document.' }),
            category: z.enum(DOCUMENT_CATEGORIES).meta({ description: 'What kind of document it is.' }),
            mime: z.string().meta({ description: 'Media type, e.g. `application/pdf`.' }),
            availableAt: dateTimeOut,
          })
          .meta({ id: 'JobDocument', description: 'A document of a job.' }),
      )
      .meta({ description: 'The documents of the job.' }),
    technicianAssignments: z
      .array(
        z
          .strictObject({
            membershipId: z.string().meta({ description: 'The technician, as in `listTechnicians`.' }),
            assignedAt: dateTimeOut,
          })
          .meta({ id: 'TechnicianAssignment', description: 'A technician of a job.' }),
      )
      .meta({ description: 'In the order in which you gave them.' }),
    updatedAt: dateTimeOut,
  })
  .meta({
    id: 'InstallerJob',
    description:
      "A job as its installer may see it. It never holds the customer's email address, prices, costs, margin, financing," +
      ' payments or signatures.',
  });

export type InstallerJob = z.infer<typeof installerJob>;

const apiVersion = z.string().meta({
  description: 'The version date of the API that this answer has, as in the header `x-svc-api-version`.',
  examples: [CURRENT_API_VERSION],
});

/** One job with the API version of the response. */
export const jobResponse = z
  .object({ apiVersion, resource: installerJob })
  .meta({ id: 'Job', description: 'One job with the version of the API that shows it.' });

/** One page of the change feed. */
export const jobFeedResponse = z
  .object({
    apiVersion,
    resources: z
      .array(
        z
          .object({
            sequence: z
              .int()
              .min(1)
              .meta({
                description:
                  "Place in your company's feed: without gaps, in the order of the changes. In a snapshot the place at which" +
                  ' it began, the same in all its entries.',
                format: 'int64',
              }),
            changedAt: dateTimeOut,
            resource: installerJob,
          })
          .meta({
            id: 'FeedEntry',
            description: 'One change of one job, with the whole job as of that change.',
          }),
      )
      .meta({ description: 'Oldest first.' }),
    nextCursor: z.string().nullable().meta({
      description:
        'Send it as `cursor` to go on from here. Keep the last one. Null only when your company has no entry at all.',
    }),
    hasMore: z.boolean().meta({ description: 'True: ask again at once, there is more.' }),
  })
  .meta({ id: 'JobFeed', description: 'A page of the change feed, oldest entry first.' });

/**
 * The query of the change feed. `from` and `view` choose where a reader without a cursor starts. With a cursor they are
 * ignored, so that a reader may repeat its first query with each `nextCursor`.
 */
export const jobFeedQuery = z
  .object({
    cursor: z
      .string()
      .max(512)
      .optional()
      .meta({ description: 'The `nextCursor` of an earlier answer, as it was given.' }),
    limit: pageLimit(LIMITS.installerPageSize),
    from: z.enum(['start']).optional().meta({
      description: '`start`: begin at the oldest entry. With a cursor, it makes no difference.',
    }),
    view: z
      .enum(['snapshot'])
      .optional()
      .meta({
        description:
          '`snapshot`: page through all jobs that are assigned to you now, and end in the cursor to follow the feed from.' +
          ' With a cursor, it makes no difference. Not together with `from`.',
      }),
  })
  .superRefine((query, context) => {
    if (query.cursor === undefined && query.from !== undefined && query.view !== undefined) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must not be given together with view' });
    }
  });

/**
 * A status event (spec: StatusEventIn). The range of `occurredAt` is not checked here but with {@link
 * occurredAtProblem}, where the idempotency key is known: a late replay still gets the recorded result.
 */
export const statusEventIn = z
  .object({
    status: z.enum(REPORTABLE_STATUSES).meta({ description: 'The status that the job moves to.' }),
    occurredAt: dateTimeIn.meta({
      // A fixed example would soon be out of range.
      override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
        delete jsonSchema['examples'];
      },
      description: 'When it happened, in UTC: at most 5 minutes in the future and 30 days in the past.',
    }),
    note: boundedText({ max: LIMITS.noteLength })
      .optional()
      .meta({ description: 'A remark for the selling company.' }),
    blockerCode: z
      .enum(BLOCKER_CODES)
      .optional()
      .meta({ description: 'Required when `status` is `BLOCKED`, and not allowed with any other.' }),
    expectedVersion,
  })
  .superRefine((event, context) => {
    if (event.status === 'BLOCKED' && event.blockerCode === undefined) {
      context.addIssue({
        code: 'custom',
        path: ['blockerCode'],
        message: 'is required when status is BLOCKED',
      });
    }
    if (event.status !== 'BLOCKED' && event.blockerCode !== undefined) {
      context.addIssue({
        code: 'custom',
        path: ['blockerCode'],
        message: 'is allowed only when status is BLOCKED',
      });
    }
  })
  .meta({
    id: 'StatusEventIn',
    description: 'What happened at a job.',
    override: {
      // Conditions cover some fields only. A validator that closes schemas by default must leave these open.
      if: {
        properties: { status: { const: 'BLOCKED' } },
        required: ['status'],
        unevaluatedProperties: true,
      },
      then: { properties: { blockerCode: {} }, required: ['blockerCode'], unevaluatedProperties: true },
      dependentSchemas: {
        blockerCode: { properties: { status: { const: 'BLOCKED' } }, unevaluatedProperties: true },
      },
    },
  });

/** Returns what is wrong with the `occurredAt` of a status event received at `now`; undefined if it is in range. */
export function occurredAtProblem(occurredAt: Date, now: Date): string | undefined {
  const aheadMs = occurredAt.getTime() - now.getTime();
  if (aheadMs > LIMITS.occurredAtAheadMs) return 'must be at most 5 minutes in the future';
  if (aheadMs < -LIMITS.occurredAtBackMs) return 'must be at most 30 days in the past';
  return undefined;
}

/** The schedule statuses that an installer may submit. */
export const SUBMITTABLE_SCHEDULE_STATUSES = [
  'TENTATIVE',
  'CONFIRMED',
  'CANCELLED',
] as const satisfies readonly (typeof SCHEDULE_STATUSES)[number][];

/** The new set of technicians of a job, in display order. */
export const assignmentsIn = z
  .object({
    membershipIds: z
      .array(z.string().min(1).max(100))
      .max(LIMITS.assignmentMembershipIds)
      .superRefine(refuseRepeats)
      .meta({
        description:
          'All technicians that the job is to have, in the order to be shown; none takes all of them away. See `listTechnicians`.',
        override: { uniqueItems: true },
      }),
    expectedVersion,
  })
  .meta({ id: 'AssignmentsIn', description: 'The whole set of technicians that a job is to have.' });

function refuseRepeats(ids: readonly string[], context: z.RefinementCtx): void {
  for (const [place, id] of ids.entries()) {
    if (ids.indexOf(id) < place) {
      context.addIssue({ code: 'custom', path: [place], message: 'must not be there twice' });
    }
  }
}

/** One technician of the company (spec: Technician). */
export const technician = z
  .strictObject({
    membershipId: z.string().meta({ description: 'The id of the technician.' }),
    displayName: z.string().meta({ description: 'The name to show.' }),
    active: z.boolean().meta({ description: 'Only active technicians can be assigned.' }),
  })
  .meta({ id: 'Technician', description: 'A technician of your company.' });

/** A page of the company's technicians, active ones first. */
export const techniciansResponse = z
  .object({
    apiVersion,
    technicians: z
      .array(technician)
      .meta({ description: 'The active ones first, then by name, then by `membershipId`.' }),
    nextCursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `cursor` to read the next page. Null on the last page.' }),
    hasMore: z.boolean().meta({ description: 'True: there is a next page.' }),
  })
  .meta({ id: 'Technicians', description: 'A page of the technicians of your company.' });

/** The query of the technicians. */
export const techniciansQuery = z.object({
  // Holds a technician's name.
  cursor: z
    .string()
    .max(2_048)
    .optional()
    .meta({ description: 'The `nextCursor` of an earlier answer, as it was given.' }),
  limit: pageLimit(LIMITS.techniciansPageSize),
});
