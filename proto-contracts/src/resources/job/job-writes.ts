import { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { boundedText } from '../../values/bounded-text.js';
import { dateTimeIn } from '../../values/date-time.js';
import { expectedVersion } from '../../values/expected-version.js';
import { BLOCKER_CODES, REPORTABLE_STATUSES, type SCHEDULE_STATUSES } from './job.js';

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
          'All technicians of the job, in display order; an empty list removes them. See `listTechnicians`.',
        override: { uniqueItems: true },
      }),
    expectedVersion,
  })
  .meta({ id: 'AssignmentsIn', description: 'The new set of technicians of a job.' });

function refuseRepeats(ids: readonly string[], context: z.RefinementCtx): void {
  for (const [place, id] of ids.entries()) {
    if (ids.indexOf(id) < place) {
      context.addIssue({ code: 'custom', path: [place], message: 'must not occur twice' });
    }
  }
}
