import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { CURRENT_API_VERSION } from '../../api/versions.js';
import {
  INSTALLER_JOB_EXAMPLE,
  jobResponseExample,
  MEMBERSHIP_ID,
  SECOND_MEMBERSHIP_ID,
  jobResponse,
} from './job.js';
import { assignmentsIn, statusEventIn } from './job-writes.js';
import { scheduleIn } from './schedule-input.js';

const JOB_ID = {
  id: {
    description: 'The `id` of a job that is assigned to your company. Any other is 404.',
    example: INSTALLER_JOB_EXAMPLE.id,
  },
};

export const getJobOperation = defineOperation({
  id: 'getJob',
  method: 'get',
  path: '/partner/v1/jobs/:id',
  scope: 'jobs:read',
  conditional: true,
  params: JOB_ID,
  summary: 'Read a job',
  description: `
Reads one job that is assigned to your company, as it is now. To keep up with all jobs, read the change feed instead.`,
  responses: {
    200: {
      description: 'The job.',
      schema: jobResponse,
      example: { apiVersion: CURRENT_API_VERSION, resource: INSTALLER_JOB_EXAMPLE },
    },
  },
  errors: ['not_found'],
});

export const recordStatusEventOperation = defineOperation({
  id: 'recordStatusEvent',
  method: 'post',
  path: '/partner/v1/jobs/:id/status-events',
  scope: 'jobs:status:write',
  idempotencyKey: 'required',
  body: statusEventIn,
  params: JOB_ID,
  summary: 'Record a status event',
  description: `
Records what happened at a job, and moves its status. The [table of job statuses](#job-statuses) lists the allowed
moves; any other move, also to the job's own status, is 422.

\`BLOCKED\` needs a \`blockerCode\`, which is added to \`readiness.blockerCodes\` and makes \`readiness.ready\` false until the
job leaves \`BLOCKED\`.

The version is checked before the move. With 409 \`stale_version\`, someone else has changed the job: read it again and
decide again.`,
  bodyExamples: {
    'en-route': {
      summary: 'On the way',
      recentField: 'occurredAt',
      value: {
        status: 'EN_ROUTE',
        occurredAt: '2026-09-03T12:31:00Z',
        expectedVersion: INSTALLER_JOB_EXAMPLE.version,
      } satisfies z.input<typeof statusEventIn>,
    },
    blocked: {
      summary: 'Work is blocked',
      recentField: 'occurredAt',
      value: {
        status: 'BLOCKED',
        occurredAt: '2026-09-03T14:05:30.250Z',
        note: 'Gate is locked, customer cannot be reached by phone.',
        blockerCode: 'CUSTOMER_UNAVAILABLE',
        expectedVersion: INSTALLER_JOB_EXAMPLE.version,
      } satisfies z.input<typeof statusEventIn>,
    },
  },
  responses: {
    201: {
      description: 'The job at its new version.',
      schema: jobResponse,
      example: jobResponseExample({ status: 'EN_ROUTE' }),
    },
  },
  errors: [
    'not_found',
    'stale_version',
    'transition_not_allowed',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});

export const setScheduleOperation = defineOperation({
  id: 'setSchedule',
  method: 'put',
  path: '/partner/v1/jobs/:id/schedule',
  scope: 'jobs:schedule:write',
  idempotencyKey: 'required',
  body: scheduleIn,
  params: JOB_ID,
  summary: 'Set or cancel the schedule',
  description: `
Sets, moves or cancels the schedule of a job. The [table of schedule
statuses](#schedule-statuses) lists the allowed moves; any other move, and any on a job that is \`COMPLETE\` or \`CANCELLED\`, is 422
\`transition_not_allowed\`.

\`TENTATIVE\` and \`CONFIRMED\` need both times, the end after the start, else 422 \`schedule_invalid\`. \`CANCELLED\` clears
them. If the schedule changes, by either side, subscribers of your company get the event
\`install.schedule_changed\`. The same schedule sent again makes a new version, but no event.`,
  bodyExamples: {
    confirm: {
      summary: 'Confirm a day',
      value: {
        status: 'CONFIRMED',
        startsAt: '2026-09-04T13:00:00Z',
        endsAt: '2026-09-04T21:00:00Z',
        timeZone: 'America/Chicago',
        expectedVersion: INSTALLER_JOB_EXAMPLE.version,
      } satisfies z.input<typeof scheduleIn>,
    },
    cancel: {
      summary: 'Cancel the schedule',
      value: {
        status: 'CANCELLED',
        startsAt: null,
        endsAt: null,
        timeZone: 'America/Chicago',
        expectedVersion: INSTALLER_JOB_EXAMPLE.version,
      } satisfies z.input<typeof scheduleIn>,
    },
  },
  responses: {
    200: {
      description: 'The job at its new version.',
      schema: jobResponse,
      example: jobResponseExample({
        schedule: {
          status: 'CONFIRMED',
          startsAt: '2026-09-04T13:00:00.000Z',
          endsAt: '2026-09-04T21:00:00.000Z',
          timeZone: 'America/Chicago',
        },
      }),
    },
  },
  errors: [
    'not_found',
    'stale_version',
    'transition_not_allowed',
    'schedule_invalid',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});

export const replaceAssignmentsOperation = defineOperation({
  id: 'replaceAssignments',
  method: 'put',
  path: '/partner/v1/jobs/:id/assignments',
  scope: 'jobs:assignment:write',
  idempotencyKey: 'required',
  body: assignmentsIn,
  params: JOB_ID,
  summary: 'Replace the technicians',
  description: `
Replaces the whole set of technicians of a job with yours, in your order; an empty set removes all of them. A technician
who is unknown, inactive or of another company is 422, and nothing changes. On a job that is \`COMPLETE\` or
\`CANCELLED\` it is 422 \`transition_not_allowed\`. The same set sent again also creates a new version. Changes of
technicians are in the feed; they cause no event.`,
  bodyExamples: {
    two: {
      summary: 'Two technicians',
      value: {
        membershipIds: [MEMBERSHIP_ID, SECOND_MEMBERSHIP_ID],
        expectedVersion: INSTALLER_JOB_EXAMPLE.version,
      } satisfies z.input<typeof assignmentsIn>,
    },
  },
  responses: {
    200: {
      description: 'The job at its new version.',
      schema: jobResponse,
      example: jobResponseExample({
        technicianAssignments: [
          ...INSTALLER_JOB_EXAMPLE.technicianAssignments,
          { membershipId: SECOND_MEMBERSHIP_ID, assignedAt: '2026-09-03T12:31:07.412Z' },
        ],
      }),
    },
  },
  errors: [
    'not_found',
    'stale_version',
    'transition_not_allowed',
    'technician_not_assignable',
    'idempotency_mismatch',
    'idempotency_in_progress',
  ],
});
