import { z } from 'zod';
import { dateTimeIn } from './date-time.js';
import { expectedVersion } from './expected-version.js';
import { SUBMITTABLE_SCHEDULE_STATUSES } from './installer-job.js';
import { timeZoneName } from './time-zone-name.js';

/**
 * A schedule (spec: ScheduleIn). Whether the times fit the status is not judged here: that is a 422, decided with the job.
 */
export const scheduleIn = z
  .object({
    status: z.enum(SUBMITTABLE_SCHEDULE_STATUSES),
    startsAt: dateTimeIn
      .nullable()
      .meta({ description: 'Null only when `status` is `CANCELLED`. ISO 8601 in UTC with a `Z` suffix.' }),
    endsAt: dateTimeIn.nullable().meta({
      description:
        'After `startsAt`; null only when `status` is `CANCELLED`. ISO 8601 in UTC with a `Z` suffix.',
    }),
    timeZone: timeZoneName,
    expectedVersion,
  })
  .meta({ id: 'ScheduleIn', description: 'The schedule that a job is to have.' });
