import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  contractorJob,
  contractorJobsQuery,
  contractorJobsResponse,
  jobNoteIn,
  JOB_EXAMPLE,
} from './contractor-job.js';

export const listContractorJobsOperation = defineOperation({
  id: 'listContractorJobs',
  method: 'get',
  path: '/inbound/jobs',
  scope: 'jobs:read',
  query: contractorJobsQuery,
  summary: 'List sold jobs',
  description: `
Lists the jobs that your company sold and that the installer of the key performs, most recently updated first. There is no
next page: \`take\` is the number of the newest jobs to return.`,
  responses: {
    200: {
      description: 'The jobs.',
      schema: contractorJobsResponse,
      example: { jobs: [JOB_EXAMPLE], hasMore: false },
    },
  },
});

export const appendJobNoteOperation = defineOperation({
  id: 'appendJobNote',
  method: 'post',
  path: '/inbound/jobs/:id/status',
  scope: 'jobs:status:write',
  idempotencyKey: 'optional',
  body: jobNoteIn,
  summary: 'Append a note to a job',
  description: `
Appends a note to the job, on a new line of \`installerNote\`, and updates \`lastUpdated\`. Despite its path it does not
change the job's status.

Each call appends: send an \`Idempotency-Key\`, so that a repeat after a timeout does not append the
note twice. All notes of a job together hold up to 20,000 characters. A job that
moves to another installer company starts without notes; the earlier ones are no longer visible.`,
  params: {
    id: {
      description: 'The `id` of a job in the list of sold jobs. Any other is 404.',
      example: JOB_EXAMPLE.id,
    },
  },
  bodyExamples: {
    note: {
      summary: 'A note',
      value: { note: 'Customer asks for a call before arrival.' } satisfies z.input<typeof jobNoteIn>,
    },
  },
  responses: {
    200: {
      description: 'The job with the note.',
      schema: contractorJob,
      example: {
        ...JOB_EXAMPLE,
        installerNote: 'Panel is in the garage.\nCustomer asks for a call before arrival.',
        lastUpdated: '2026-09-01T18:22:40.511Z',
      },
    },
  },
  errors: ['not_found', 'note_limit_reached', 'idempotency_mismatch', 'idempotency_in_progress'],
});
