import { z } from 'zod';
import { LIMITS } from '../../api/limits.js';
import { boundedText } from '../../values/bounded-text.js';
import { dateTimeOut } from '../../values/date-time.js';
import { pageLimit } from '../../values/page.js';
import { redacted } from '../../values/redacted.js';

export const CONTRACTOR_JOB_STAGES = [
  'SOLD',
  'SCHEDULED',
  'IN_PROGRESS',
  'BLOCKED',
  'COMPLETE',
  'CANCELLED',
] as const;

export type ContractorJobStageName = (typeof CONTRACTOR_JOB_STAGES)[number];

/**
 * A sold job as an installer-contractor key sees it (spec: ContractorJob). Visible to `installer-contractor` keys of the
 * selling company, while the job is assigned to the key's installer company. To every other key it is 404.
 */
export const contractorJob = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the job.' }),
    workOrderNo: z.string().nullable().meta({ description: "The seller's own number of the work order." }),
    address: z.string().meta({ description: 'Street and number.' }),
    city: z.string().meta({ description: 'The city.' }),
    state: z.string().meta({ description: 'The state, e.g. `TX`.' }),
    zip: z.string().meta({ description: 'The ZIP code.' }),
    stage: z.enum(CONTRACTOR_JOB_STAGES).meta({
      description: "Progress of the job in the seller's terms, derived from the job's status and schedule.",
    }),
    installerNote: z.string().nullable().meta({
      description:
        'All notes since the job was assigned to the installer company, oldest first, one per line.',
    }),
    lastUpdated: dateTimeOut,
    redacted,
  })
  .meta({ id: 'ContractorJob', description: 'A sold job as an installer-contractor key sees it.' });

export type ContractorJob = z.infer<typeof contractorJob>;

export const contractorJobsResponse = z
  .object({
    jobs: z.array(contractorJob).meta({
      description:
        'At most `take` of them; fewer if their notes are so long that the response would exceed 8 MiB.',
    }),
    hasMore: z.boolean().meta({ description: 'Whether there are more jobs than these.' }),
  })
  .meta({ id: 'ContractorJobs', description: 'Sold jobs, most recently updated first.' });

export type ContractorJobs = z.infer<typeof contractorJobsResponse>;

export const contractorJobsQuery = z.object({ take: pageLimit(LIMITS.inboundPageSize) });

export const jobNoteIn = z
  .object({
    note: boundedText({ min: 1, max: LIMITS.noteLength }).meta({ description: 'The text to append.' }),
  })
  .meta({ id: 'JobNoteIn', description: 'A note to append to a job.' });

export const JOB_EXAMPLE = {
  id: 'job_01k3jb8w4fe6ts0c9mzp5xq7ra',
  workOrderNo: 'WO-20418',
  address: '12 N Elm St',
  city: 'Austin',
  state: 'TX',
  zip: '78701',
  stage: 'SCHEDULED',
  installerNote: 'Panel is in the garage.',
  lastUpdated: '2026-08-29T16:40:12.000Z',
} as const satisfies z.infer<typeof contractorJob>;
