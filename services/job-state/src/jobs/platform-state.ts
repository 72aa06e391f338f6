import { SCHEDULE_STATUSES, DOCUMENT_CATEGORIES } from '@partner/proto-contracts/resources/job/job';
import { z } from 'zod';

/**
 * The platform's messages about a job, by field, with their versions. They decide which of two messages wins in any order of
 * arrival.
 *
 * These are not versions of the projection. It is empty for a job without a message of the platform. Fields that a newer
 * version of the service adds are kept. A field that was added later may be absent, also because an older version has rewritten
 * its parent.
 */
export const platformState = z.looseObject({
  /** Every assignment and unassignment, by ascending version. */
  assignments: z
    .array(z.object({ version: z.int(), companyId: z.string().nullable() }))
    .readonly()
    .default([]),
  scope: z.int().default(0),
  readiness: z.int().default(0),
  /** The newest schedule of the selling side, even if a newer assignment overrides it. */
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
  /** When the company that has the job last set its schedule; null: never. */
  ownScheduleAt: z.coerce.date().nullable().default(null),
  cancelled: z.object({ version: z.int(), occurredAt: z.coerce.date().optional() }).nullable().default(null),
  /** Every version of every document. `isNotified`: an installer company was notified. */
  documents: z
    .array(
      z.object({
        id: z.string(),
        version: z.int(),
        category: z.enum(DOCUMENT_CATEGORIES),
        mime: z.string(),
        availableAt: z.string(),
        isNotified: z.boolean(),
      }),
    )
    .readonly()
    .default([]),
  /** `notifiedCompanyIds`: the companies that were notified; absent: the company that had the job, if `isNotified`. */
  completions: z
    .array(
      z.object({
        version: z.int(),
        acceptedAt: z.string(),
        isNotified: z.boolean(),
        notifiedCompanyIds: z.array(z.string()).readonly().optional(),
      }),
    )
    .readonly()
    .default([]),
});

export type PlatformState = Readonly<z.infer<typeof platformState>>;

/**
 * The version since which the current company, or none, has the job without interruption.
 *
 * Older schedules of the selling side are ignored. 0 without any assignment message.
 */
export function heldSince({ assignments }: Pick<PlatformState, 'assignments'>): number {
  const companyId = assignments.at(-1)?.companyId;
  const other = assignments.findLastIndex((assignment) => assignment.companyId !== companyId);
  return assignments[other + 1]?.version ?? 0;
}

/** The company that had the job as of a version. Null: none; undefined: no assignment message until then. */
export function holderAt(
  { assignments }: Pick<PlatformState, 'assignments'>,
  version: number,
): string | null | undefined {
  return assignments.findLast((assignment) => assignment.version <= version)?.companyId;
}

/** The schedule of the selling side, unless an assignment overrides it. */
export function scheduleInEffect(
  state: Pick<PlatformState, 'assignments' | 'schedule'>,
): PlatformState['schedule'] {
  return state.schedule !== null && state.schedule.version > heldSince(state) ? state.schedule : null;
}
