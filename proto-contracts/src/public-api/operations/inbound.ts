import { appointmentBooked, appointmentIn } from '../appointment.js';
import { contractorJob, contractorJobsAnswer, contractorJobsQuery, jobNoteIn } from '../contractor-job.js';
import { leadCreated, leadIn, leadMerged } from '../lead.js';
import { type AnyOperation, defineOperation } from '../operation.js';

/** `POST /inbound/leads` */
export const createLeadOperation = defineOperation({
  id: 'createLead',
  method: 'post',
  path: '/inbound/leads',
  scope: 'leads:write',
  idempotencyKey: 'optional',
  body: leadIn,
  summary: 'Create or merge a lead',
  description:
    'Makes a lead, or merges it into the one that stands at the same normalised address of the company.',
  answers: {
    201: { description: 'A new lead.', schema: leadCreated },
    200: { description: 'Merged into an existing lead or project.', schema: leadMerged },
  },
  errors: ['idempotency_mismatch', 'idempotency_in_progress'],
});

/** `POST /inbound/appointments` */
export const bookAppointmentOperation = defineOperation({
  id: 'bookAppointment',
  method: 'post',
  path: '/inbound/appointments',
  scope: 'appointments:write',
  body: appointmentIn,
  summary: 'Book an appointment',
  description: 'Books an appointment with the customer of a lead, once per `idempotencyKey`.',
  answers: {
    201: { description: 'The appointment was made.', schema: appointmentBooked },
    200: {
      description: 'An identical repeat of a request that was answered before.',
      schema: appointmentBooked,
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
  description:
    'Lists the jobs that the company sold and that the installer of the key performs, most recently updated first.',
  answers: { 200: { description: 'The jobs.', schema: contractorJobsAnswer } },
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
  description: 'Appends a note to the job, on a new line of `installerNote`.',
  answers: { 200: { description: 'The job with the note.', schema: contractorJob } },
  errors: ['not_found', 'note_limit_reached', 'idempotency_mismatch', 'idempotency_in_progress'],
});

/** Every operation of the inbound surface. */
export const INBOUND_OPERATIONS: readonly AnyOperation[] = [
  createLeadOperation,
  bookAppointmentOperation,
  listContractorJobsOperation,
  appendJobNoteOperation,
];
