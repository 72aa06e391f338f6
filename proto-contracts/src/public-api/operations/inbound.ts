import type { z } from 'zod';
import { appointmentBooked, appointmentIn } from '../appointment.js';
import { contractorJob, contractorJobsResponse, contractorJobsQuery, jobNoteIn } from '../contractor-job.js';
import { leadCreated, leadIn, leadMerged } from '../lead.js';
import { type AnyOperation, defineOperation } from '../operation.js';

const APPOINTMENT_EXAMPLE = {
  appointmentId: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
  status: 'booked',
} as const satisfies z.infer<typeof appointmentBooked>;

const JOB_EXAMPLE = {
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

/**
 * `POST /inbound/leads`
 *
 * 200 and 201 have a schema each, so OpenAPI Generator's `java`, which reads every 2xx as the first one, needs
 * `enumUnknownDefaultCase=true`. One `oneOf` with a discriminator for both is worse. With that option, which growing enums need
 * as well, its Java client finds that both schemas match and fails on every lead. Its Python client and oapi-codegen return
 * a wrapper in place of the typed result.
 */
export const createLeadOperation = defineOperation({
  id: 'createLead',
  method: 'post',
  path: '/inbound/leads',
  scope: 'leads:write',
  idempotencyKey: 'optional',
  body: leadIn,
  summary: 'Create or merge a lead',
  description: `
Hands in a lead. A new one opens a project and is answered with 201.

Leads of one company are merged by address: when your company already has a lead or project at the address, the answer is
200 and says which one. The fields of the first lead stay; what you sent is recorded with it. Two leads for one address at
the same moment make one lead.

With an \`Idempotency-Key\` a repeat gets the first answer again, 201 included. Without one it is merged, which does no
harm either.`,
  bodyExamples: {
    lead: {
      summary: 'A lead',
      value: {
        fullName: 'Ada Quill',
        email: 'ada.quill@example.com',
        phone: '+1 512 555 0100',
        address: '12 North Elm Street, Austin, TX 78701',
        smsConsent: true,
      } satisfies z.input<typeof leadIn>,
    },
  },
  responses: {
    201: {
      description: 'A new lead.',
      schema: leadCreated,
      example: { status: 'created', leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne' },
    },
    200: {
      description: 'Merged into an existing lead or project.',
      schema: leadMerged,
      example: {
        status: 'merged',
        leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
        projectId: 'prj_01k3h1x9c5e7ja6ps0wg3yk8fm',
        reason: 'address matches lead lead_01k3h1x9c4fdr8v2m7zq5tbwne',
      },
    },
  },
  errors: ['idempotency_mismatch', 'idempotency_in_progress'],
});

/** `POST /inbound/appointments` */
export const bookAppointmentOperation = defineOperation({
  id: 'bookAppointment',
  method: 'post',
  path: '/inbound/appointments',
  scope: 'appointments:write',
  idempotencyKeyInBody: true,
  body: appointmentIn,
  summary: 'Book an appointment',
  description: `
Books an appointment with the customer of a lead, once for each \`idempotencyKey\` of the body. An identical repeat is
answered with 200 and the same appointment; the same key with another body is 409. Every field counts, as it was sent: \`notes\`
left out and empty \`notes\` differ, and so do two spellings of one instant. The order of the fields does not count.

A \`leadId\` or \`projectId\` that is not your company's is 403, whether it exists or not. A project of your company that
belongs to another lead is 400. The key stays unused in both cases. Your company's subscribers get the event
\`appointment.booked\`.`,
  bodyExamples: {
    visit: {
      summary: 'A visit of two hours',
      value: {
        leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
        startsAt: '2026-09-01T15:00:00Z',
        endsAt: '2026-09-01T17:00:00Z',
        notes: 'Ring twice. The dog is friendly.',
        idempotencyKey: 'visit-20260901-ada-quill',
      } satisfies z.input<typeof appointmentIn>,
    },
  },
  responses: {
    201: {
      description: 'The appointment was made.',
      schema: appointmentBooked,
      example: APPOINTMENT_EXAMPLE,
    },
    200: {
      description: 'An identical repeat of a request that was answered before.',
      schema: appointmentBooked,
      example: APPOINTMENT_EXAMPLE,
    },
  },
  errors: ['idempotency_mismatch', 'idempotency_in_progress'],
});

/** `GET /inbound/jobs` */
export const listContractorJobsOperation = defineOperation({
  id: 'listContractorJobs',
  method: 'get',
  path: '/inbound/jobs',
  scope: 'jobs:read',
  query: contractorJobsQuery,
  summary: 'List sold jobs',
  description: `
Lists the jobs that your company sold and that the installer of the key performs, most recently updated first. There is no
next page: \`take\` says how many of the newest you want.`,
  responses: {
    200: { description: 'The jobs.', schema: contractorJobsResponse, example: { jobs: [JOB_EXAMPLE] } },
  },
});

/** `POST /inbound/jobs/{id}/status` */
export const appendJobNoteOperation = defineOperation({
  id: 'appendJobNote',
  method: 'post',
  path: '/inbound/jobs/:id/status',
  scope: 'jobs:status:write',
  idempotencyKey: 'optional',
  body: jobNoteIn,
  summary: 'Append a note to a job',
  description: `
Appends a note to the job, on a new line of \`installerNote\`, and moves \`lastUpdated\`. In spite of its path it does not
change the job's status.

It appends each time that it is called: send an \`Idempotency-Key\`, so that a repeat after a timeout does not append the
note twice. All notes of a job together hold up to 20,000 characters. A job that
changes hands begins with no note: nobody reads the notes that were left for the installer company before.`,
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

/** Every operation of the inbound surface. */
export const INBOUND_OPERATIONS: readonly AnyOperation[] = [
  createLeadOperation,
  bookAppointmentOperation,
  listContractorJobsOperation,
  appendJobNoteOperation,
];
