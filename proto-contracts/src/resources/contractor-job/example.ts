import type { z } from 'zod';
import type { contractorJob } from './contractor-job.js';

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
