import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '../versions.js';
import type { EmittedEventName, EventData, WebhookEnvelope } from '../webhook-events.js';
import { INSTALLER_JOB_EXAMPLE } from './installer-job-example.js';

const JOB_ID = INSTALLER_JOB_EXAMPLE.id;

/** What the examples of the events say. */
const EXAMPLE_DATA = {
  'install.job_assigned': { jobId: JOB_ID, status: 'ASSIGNED' },
  'install.job_unassigned': { jobId: JOB_ID },
  'install.status_changed': {
    jobId: JOB_ID,
    previousStatus: 'ACKNOWLEDGED',
    status: 'EN_ROUTE',
    occurredAt: '2026-09-03T12:31:00.000Z',
    note: null,
    blockerCode: null,
  },
  'install.schedule_changed': {
    jobId: JOB_ID,
    changedBy: 'seller',
    previousStatus: 'TENTATIVE',
    schedule: INSTALLER_JOB_EXAMPLE.schedule,
  },
  'install.readiness_changed': { jobId: JOB_ID, ready: false, blockerCodes: ['MATERIAL_MISSING'] },
  'appointment.booked': {
    appointmentId: 'appt_01k3h2b7mpe0k8xw5n4c6qtzvd',
    leadId: 'lead_01k3h1x9c4fdr8v2m7zq5tbwne',
    projectId: null,
    startsAt: '2026-09-01T15:00:00.000Z',
    endsAt: '2026-09-01T17:00:00.000Z',
    notes: 'Ring twice. The dog is friendly.',
  },
  'install.test': {
    subscriptionId: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
    message: 'This is a test delivery. It is safe to ignore.',
  },
} as const satisfies { readonly [E in EmittedEventName]: EventData<E> };

const job = { type: 'install_job', id: JOB_ID, version: 8 } as const;

/** A whole envelope of each event that the service emits. */
export const WEBHOOK_EXAMPLES = {
  'install.job_assigned': envelope('install.job_assigned', { ...job, version: 1 }),
  'install.job_unassigned': envelope('install.job_unassigned', job),
  'install.status_changed': envelope('install.status_changed', job),
  'install.schedule_changed': envelope('install.schedule_changed', job),
  'install.readiness_changed': envelope('install.readiness_changed', job),
  'appointment.booked': envelope('appointment.booked', {
    type: 'appointment',
    id: EXAMPLE_DATA['appointment.booked'].appointmentId,
    version: 1,
  }),
  'install.test': envelope('install.test', {
    type: 'webhook_subscription',
    id: EXAMPLE_DATA['install.test'].subscriptionId,
    version: 1,
  }),
} as const satisfies { readonly [E in EmittedEventName]: WebhookEnvelope };

function envelope(event: EmittedEventName, resource: WebhookEnvelope['resource']): WebhookEnvelope {
  return {
    id: 'evt_01k3jd7s2wf0bq6nv4xm8y5tcr',
    event,
    apiVersion: CURRENT_API_VERSION,
    schemaVersion: CURRENT_SCHEMA_VERSION,
    occurredAt: '2026-09-03T12:31:07.412Z',
    resource,
    data: EXAMPLE_DATA[event],
  };
}
