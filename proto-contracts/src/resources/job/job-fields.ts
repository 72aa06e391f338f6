import { z } from 'zod';
import { installerJob } from './job.js';

/** Without what names a job and its seller, whose name changes without the job, and what differs in every version. */
const changing = installerJob.omit({
  id: true,
  company: true,
  version: true,
  updatedAt: true,
  redacted: true,
});

function namesIn(object: z.ZodObject): readonly string[] {
  return Object.entries(object.shape).flatMap(([name, field]) =>
    field instanceof z.ZodObject ? namesIn(field).map((inner) => `${name}.${inner}`) : [name],
  );
}

/** The fields of a job that a change can concern, with the names of the objects around them: `schedule.startsAt`. A list is one field. */
export const JOB_FIELDS = namesIn(changing);
