import {
  assignmentsIn,
  jobAnswer,
  jobFeedAnswer,
  jobFeedQuery,
  scheduleIn,
  statusEventIn,
  techniciansAnswer,
} from '../installer-job.js';
import { type AnyOperation, defineOperation } from '../operation.js';

/** `GET /partner/v1/jobs` */
export const listJobFeedOperation = defineOperation({
  id: 'listJobFeed',
  method: 'get',
  path: '/partner/v1/jobs',
  scope: 'jobs:read',
  conditional: true,
  query: jobFeedQuery,
  summary: 'Read the change feed',
  description:
    "Reads the changes of the company's jobs, oldest first, each with the whole job as of the change.",
  answers: { 200: { description: 'A page of the feed.', schema: jobFeedAnswer } },
  errors: ['cursor_invalid'],
});

/** `GET /partner/v1/jobs/{id}` */
export const getJobOperation = defineOperation({
  id: 'getJob',
  method: 'get',
  path: '/partner/v1/jobs/:id',
  scope: 'jobs:read',
  conditional: true,
  summary: 'Read a job',
  description: 'Reads one job that is assigned to the company.',
  answers: { 200: { description: 'The job.', schema: jobAnswer } },
  errors: ['not_found'],
});

/** `POST /partner/v1/jobs/{id}/status-events` */
export const recordStatusEventOperation = defineOperation({
  id: 'recordStatusEvent',
  method: 'post',
  path: '/partner/v1/jobs/:id/status-events',
  scope: 'jobs:status:write',
  idempotencyKey: 'required',
  body: statusEventIn,
  summary: 'Record a status event',
  description: "Moves a job's status once per `Idempotency-Key`.",
  answers: { 201: { description: 'The job at its new version.', schema: jobAnswer } },
  errors: [
    'not_found',
    'stale_version',
    'transition_not_allowed',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});

/** `PUT /partner/v1/jobs/{id}/schedule` */
export const setScheduleOperation = defineOperation({
  id: 'setSchedule',
  method: 'put',
  path: '/partner/v1/jobs/:id/schedule',
  scope: 'jobs:schedule:write',
  idempotencyKey: 'required',
  body: scheduleIn,
  summary: 'Set or cancel the schedule',
  description: "Sets or cancels a job's schedule once per `Idempotency-Key`.",
  answers: { 200: { description: 'The job at its new version.', schema: jobAnswer } },
  errors: [
    'not_found',
    'stale_version',
    'transition_not_allowed',
    'schedule_invalid',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});

/** `GET /partner/v1/technicians` */
export const listTechniciansOperation = defineOperation({
  id: 'listTechnicians',
  method: 'get',
  path: '/partner/v1/technicians',
  scope: 'technicians:read',
  summary: 'List technicians',
  description: "Lists the company's technicians, the active ones first.",
  answers: { 200: { description: 'The technicians.', schema: techniciansAnswer } },
});

/** `PUT /partner/v1/jobs/{id}/assignments` */
export const replaceAssignmentsOperation = defineOperation({
  id: 'replaceAssignments',
  method: 'put',
  path: '/partner/v1/jobs/:id/assignments',
  scope: 'jobs:assignment:write',
  idempotencyKey: 'required',
  body: assignmentsIn,
  summary: 'Replace the technicians',
  description: 'Replaces the whole set of technicians of a job once per `Idempotency-Key`.',
  answers: { 200: { description: 'The job at its new version.', schema: jobAnswer } },
  errors: [
    'not_found',
    'stale_version',
    'technician_not_assignable',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});

/** Every operation of the installer surface. */
export const INSTALLER_OPERATIONS: readonly AnyOperation[] = [
  listJobFeedOperation,
  getJobOperation,
  recordStatusEventOperation,
  setScheduleOperation,
  listTechniciansOperation,
  replaceAssignmentsOperation,
];
