import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { companyClass } from '../../values/company-class.js';
import {
  BLOCKER_CODES,
  blockerCodes,
  DOCUMENT_CATEGORIES,
  INSTALLER_JOB_EXAMPLE,
  jobSchedule,
  jobStatus,
  scheduleStatus,
} from '../job/job.js';
import { JOB_FIELDS } from '../job/job-fields.js';
import { defineEvent, EXAMPLE, id } from './define-event.js';

/** Document categories that installer companies receive an event for. */
export const ANNOUNCED_DOCUMENT_CATEGORIES = DOCUMENT_CATEGORIES.filter(
  (category) => category !== 'CONTRACT_METADATA',
);

const jobId = id('The job that it is about.');

const previousJobStatus = jobStatus.meta({ description: 'The status before the change.' });

const job = { type: 'install_job', id: EXAMPLE.jobId, version: 8 };

/** The events of installer companies, and the test that any company can send itself. */
export const INSTALL_EVENTS = {
  'install.job_assigned': defineEvent({
    meaning: 'a job was assigned to your company',
    classes: ['INSTALLER'],
    data: z.strictObject({ jobId, status: jobStatus }),
    resource: { ...job, version: 1 },
    fields: JOB_FIELDS,
    example: { jobId: EXAMPLE.jobId, status: 'ASSIGNED' },
  }),
  'install.job_unassigned': defineEvent({
    meaning: 'a job was removed from your company',
    classes: ['INSTALLER'],
    data: z.strictObject({ jobId }),
    resource: job,
    fields: JOB_FIELDS,
    example: { jobId: EXAMPLE.jobId },
  }),
  'install.job_cancelled': defineEvent({
    meaning: 'the job was cancelled by the company',
    classes: ['INSTALLER'],
    data: z.strictObject({ jobId, previousStatus: previousJobStatus }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['status', 'schedule.status'],
    example: { jobId: EXAMPLE.jobId, previousStatus: 'ACKNOWLEDGED' },
  }),
  'install.schedule_changed': defineEvent({
    meaning: 'scheduled start or end changed, by either side',
    classes: ['INSTALLER'],
    data: z.strictObject({
      jobId,
      changedBy: z.enum(['installer', 'seller']).meta({ description: '`installer`: your own company.' }),
      previousStatus: scheduleStatus.meta({ description: 'The status of the schedule before the change.' }),
      schedule: jobSchedule,
    }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['schedule.status', 'schedule.startsAt', 'schedule.endsAt'],
    example: {
      jobId: EXAMPLE.jobId,
      changedBy: 'seller',
      previousStatus: 'TENTATIVE',
      schedule: INSTALLER_JOB_EXAMPLE.schedule,
    },
  }),
  'install.readiness_changed': defineEvent({
    meaning: 'ready flag or blocker codes changed',
    classes: ['INSTALLER'],
    data: z.strictObject({
      jobId,
      ready: z.boolean().meta({ description: 'True: work can begin.' }),
      blockerCodes,
    }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['readiness.ready', 'readiness.blockerCodes'],
    example: { jobId: EXAMPLE.jobId, ready: false, blockerCodes: ['MATERIAL_MISSING'] },
  }),
  'install.document_available': defineEvent({
    meaning: 'a scope, permit, manual, warranty or completion document can be fetched',
    classes: ['INSTALLER'],
    data: z.strictObject({
      jobId,
      document: z
        .strictObject({
          id: id('The id of the document.'),
          category: z
            .enum(ANNOUNCED_DOCUMENT_CATEGORIES)
            .meta({ description: 'What kind of document it is.' }),
          mime: id('Media type, e.g. `application/pdf`.'),
          availableAt: dateTimeOut,
        })
        .meta({ id: 'AnnouncedDocument', description: 'A document that can be fetched.' }),
    }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['documents'],
    example: {
      jobId: EXAMPLE.jobId,
      document: {
        id: 'doc_01k3h6e2n8v5wx4q9zt7rmc6be',
        category: 'PERMIT',
        mime: 'application/pdf',
        availableAt: '2026-09-03T12:31:07.000Z',
      },
    },
  }),
  'install.status_changed': defineEvent({
    meaning: 'job status moved',
    classes: ['INSTALLER'],
    data: z.strictObject({
      jobId,
      previousStatus: previousJobStatus,
      status: jobStatus,
      occurredAt: dateTimeOut.meta({
        description: 'From the status event, or from the selling side for a cancellation.',
      }),
      note: id('The remark of the status event.').nullable(),
      blockerCode: z
        .enum(BLOCKER_CODES)
        .nullable()
        .meta({ description: 'Why work stopped; null unless `status` is `BLOCKED`.' }),
    }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['status'],
    example: {
      jobId: EXAMPLE.jobId,
      previousStatus: 'ACKNOWLEDGED',
      status: 'EN_ROUTE',
      occurredAt: '2026-09-03T12:31:00.000Z',
      note: null,
      blockerCode: null,
    },
  }),
  'install.completion_received': defineEvent({
    meaning: 'a completion report was accepted',
    classes: ['INSTALLER'],
    data: z.strictObject({ jobId, acceptedAt: dateTimeOut }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: [],
    example: { jobId: EXAMPLE.jobId, acceptedAt: EXAMPLE.at },
  }),
  'install.scope_acknowledgement_required': defineEvent({
    meaning: 'the scope changed; acknowledgement of the new scope version is needed before work continues',
    classes: ['INSTALLER'],
    data: z.strictObject({
      jobId,
      scopeVersion: z.int().meta({ description: 'The version of the scope after the change.' }),
      previousScopeVersion: z.int().meta({ description: 'The version before the change.' }),
    }),
    resource: job,
    fields: JOB_FIELDS,
    exampleChanged: ['scope.equipment', 'scope.scopeVersion'],
    example: { jobId: EXAMPLE.jobId, scopeVersion: 3, previousScopeVersion: 2 },
  }),
  'install.test': defineEvent({
    meaning: 'on-demand test delivery, safe to ignore in production',
    classes: companyClass.options,
    data: z.strictObject({
      subscriptionId: id('The subscription that is tested.'),
      message: id('A text for people.'),
    }),
    resource: {
      type: 'webhook_subscription',
      id: EXAMPLE.subscriptionId,
      version: 1,
    },
    example: {
      subscriptionId: EXAMPLE.subscriptionId,
      message: 'This is a test delivery. It is safe to ignore.',
    },
  }),
} as const;
