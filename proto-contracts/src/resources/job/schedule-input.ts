import { z } from 'zod';
import { plannedDateTimeIn } from '../../values/date-time.js';
import { expectedVersion } from '../../values/expected-version.js';
import { timeZoneName } from '../../values/time-zone-name.js';
import { SUBMITTABLE_SCHEDULE_STATUSES } from './job-writes.js';

/**
 * A schedule (spec: ScheduleIn). Whether the times fit the status is not checked here: that is a 422, decided with the
 * job.
 */
export const scheduleIn = z
  .object({
    status: z
      .enum(SUBMITTABLE_SCHEDULE_STATUSES)
      .meta({ description: 'The status that the schedule moves to.' }),
    startsAt: plannedDateTimeIn
      .nullable()
      .meta({ description: 'In UTC, in the years 2000 to 2100. Null only when `status` is `CANCELLED`.' }),
    endsAt: plannedDateTimeIn.nullable().meta({
      description:
        'After `startsAt`, in UTC, in the years 2000 to 2100. Null only when `status` is `CANCELLED`.',
    }),
    timeZone: timeZoneName,
    expectedVersion,
  })
  .meta({ id: 'ScheduleIn', description: 'The new schedule of a job.' });
