import { SCHEDULE_STATUSES, DOCUMENT_CATEGORIES } from '@partner/proto-contracts/public-api/installer-job';
import { z } from 'zod';

/**
 * What the platform has told of a job, by parts, with the versions of its messages: what decides which of two messages counts,
 * whatever order they come in. Not the projection's version. Empty for a job that the platform has told nothing of.
 * Parts that a newer version of the service may add are kept as they are; what was added to a part later may be absent, also
 * since an older version has written the part anew.
 */
export const jobHeard = z.looseObject({
  /** Every assignment and unassignment, by ascending version. */
  assignments: z
    .array(z.object({ version: z.int(), companyId: z.string().nullable() }))
    .readonly()
    .default([]),
  scope: z.int().default(0),
  readiness: z.int().default(0),
  /** The newest schedule of the selling side, also one that a newer assignment has set aside. */
  schedule: z
    .object({
      version: z.int(),
      status: z.enum(SCHEDULE_STATUSES),
      startsAt: z.coerce.date().nullable(),
      endsAt: z.coerce.date().nullable(),
      timeZone: z.string(),
    })
    .nullable()
    .default(null),
  /** When the company that has the job has set its schedule itself; null: it has not. */
  ownScheduleAt: z.coerce.date().nullable().default(null),
  cancelled: z.object({ version: z.int(), occurredAt: z.coerce.date().optional() }).nullable().default(null),
  /** Every version of every document. `isTold`: an installer company was told of it. */
  documents: z
    .array(
      z.object({
        id: z.string(),
        version: z.int(),
        category: z.enum(DOCUMENT_CATEGORIES),
        mime: z.string(),
        availableAt: z.string(),
        isTold: z.boolean(),
      }),
    )
    .readonly()
    .default([]),
  /** `toldTo`: the companies that were told of it; absent: whoever had the job, if `isTold`. */
  completions: z
    .array(
      z.object({
        version: z.int(),
        acceptedAt: z.string(),
        isTold: z.boolean(),
        toldTo: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly()
    .default([]),
});

export type JobHeard = Readonly<z.infer<typeof jobHeard>>;

/**
 * Since which version the company that has the job, or nobody, has it without a break: what was told of the job's schedule
 * before that is of no account. 0 when nothing was told of an assignment.
 */
export function heldSince({ assignments }: Pick<JobHeard, 'assignments'>): number {
  const companyId = assignments.at(-1)?.companyId;
  const other = assignments.findLastIndex((assignment) => assignment.companyId !== companyId);
  return assignments[other + 1]?.version ?? 0;
}

/** Who had the job as of a version: null: nobody; undefined: nothing was told of an assignment until then. */
export function holderAt(
  { assignments }: Pick<JobHeard, 'assignments'>,
  version: number,
): string | null | undefined {
  return assignments.findLast((assignment) => assignment.version <= version)?.companyId;
}

/** The schedule of the selling side unless an assignment has set it aside. */
export function scheduleInEffect(heard: Pick<JobHeard, 'assignments' | 'schedule'>): JobHeard['schedule'] {
  return heard.schedule !== null && heard.schedule.version > heldSince(heard) ? heard.schedule : null;
}
