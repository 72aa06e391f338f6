import { z } from 'zod';
import { boundedText } from './bounded-text.js';
import { dateTimeIn, dateTimeOut } from './date-time.js';
import { expectedVersion } from './expected-version.js';
import { LIMITS } from './limits.js';
import { pageLimit } from './page-limit.js';
import { timeZoneName } from './time-zone-name.js';

/** Every status of a job, in the order of its life. */
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

/** Why work cannot go on. */
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

const scopeItem = z.strictObject({
  name: z.string(),
  model: z.string().nullable(),
  quantity: z.int(),
});

/**
 * The installer-safe projection (spec: InstallerJob). Strict on purpose: a field that is not listed here can not be
 * shown, and customer email, prices, costs, margin, financing, payments and signatures are not listed (spec: rule 6).
 */
export const installerJob = z.strictObject({
  id: z.string(),
  version: z.int().min(1),
  status: z.enum(JOB_STATUSES),
  company: z.strictObject({ id: z.string(), name: z.string() }),
  customer: z.strictObject({
    name: z.string(),
    phone: z.string(),
    address: z.strictObject({ line1: z.string(), city: z.string(), state: z.string(), zip: z.string() }),
  }),
  scope: z.strictObject({
    packageName: z.string(),
    systemType: z.string(),
    equipment: z.array(scopeItem),
    accessories: z.array(scopeItem),
    supplierSources: z.array(z.strictObject({ name: z.string(), reference: z.string().nullable() })),
    scopeVersion: z.int(),
  }),
  schedule: z.strictObject({
    status: z.enum(SCHEDULE_STATUSES),
    startsAt: dateTimeOut.nullable(),
    endsAt: dateTimeOut.nullable(),
    timeZone: z.string().nullable(),
  }),
  readiness: z.strictObject({ ready: z.boolean(), blockerCodes: z.array(z.string()) }),
  documents: z.array(
    z.strictObject({
      id: z.string(),
      category: z.enum(DOCUMENT_CATEGORIES),
      mime: z.string(),
      availableAt: dateTimeOut,
    }),
  ),
  technicianAssignments: z.array(z.strictObject({ membershipId: z.string(), assignedAt: dateTimeOut })),
  updatedAt: dateTimeOut,
});

export type InstallerJob = z.infer<typeof installerJob>;

/** One job with the version of the API that shows it. */
export const jobAnswer = z.object({ apiVersion: z.string(), resource: installerJob });

/** One page of the change feed. */
export const jobFeedAnswer = z.object({
  apiVersion: z.string(),
  resources: z.array(z.object({ sequence: z.int().min(1), changedAt: dateTimeOut, resource: installerJob })),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
});

/**
 * The query of the change feed. `from` and `view` say where a reader without a cursor begins; with one, the cursor says
 * it, so that a reader may repeat its first query with each `nextCursor`.
 */
export const jobFeedQuery = z
  .object({
    cursor: z.string().max(512).optional(),
    limit: pageLimit(LIMITS.installerPageSize),
    from: z.enum(['start']).optional(),
    view: z.enum(['snapshot']).optional(),
  })
  .superRefine((query, context) => {
    if (query.from !== undefined && query.view !== undefined) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must not be given together with view' });
    }
  });

/**
 * A status event (spec: StatusEventIn). How far `occurredAt` may be from now is not judged here but with
 * {@link occurredAtProblem}, where the idempotency key is known: a replay gets the recorded result however late it comes.
 */
export const statusEventIn = z
  .object({
    status: z.enum(REPORTABLE_STATUSES),
    occurredAt: dateTimeIn,
    note: boundedText({ max: LIMITS.noteLength }).optional(),
    blockerCode: z.enum(BLOCKER_CODES).optional(),
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
  });

/** What is wrong with the `occurredAt` of a status event that comes in at `now`; undefined when it is near enough. */
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

/**
 * A schedule (spec: ScheduleIn). Whether the times fit the status is not judged here: that is a 422, decided with the job.
 */
export const scheduleIn = z.object({
  status: z.enum(SUBMITTABLE_SCHEDULE_STATUSES),
  startsAt: dateTimeIn.nullable(),
  endsAt: dateTimeIn.nullable(),
  timeZone: timeZoneName,
  expectedVersion,
});

/** The whole set of technicians of a job, in the order to be shown. */
export const assignmentsIn = z.object({
  membershipIds: z
    .array(z.string().min(1).max(100))
    .max(LIMITS.assignmentMembershipIds)
    .superRefine(refuseRepeats),
  expectedVersion,
});

function refuseRepeats(ids: readonly string[], context: z.RefinementCtx): void {
  for (const [place, id] of ids.entries()) {
    if (ids.indexOf(id) < place) {
      context.addIssue({ code: 'custom', path: [place], message: 'must not be there twice' });
    }
  }
}

/** One technician of the company (spec: Technician). */
export const technician = z.strictObject({
  membershipId: z.string(),
  displayName: z.string(),
  active: z.boolean(),
});

/** All technicians of the company, the active ones first. */
export const techniciansAnswer = z.object({ technicians: z.array(technician) });
