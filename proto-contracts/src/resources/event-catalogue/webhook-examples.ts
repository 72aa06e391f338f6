import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '../../api/versions.js';
import { INSTALLER_JOB_EXAMPLE } from '../job/job.js';
import type { EventName } from './catalogue.js';
import type { EventData, WebhookEnvelope } from './webhook-events.js';

const JOB_ID = INSTALLER_JOB_EXAMPLE.id;

const PROJECT_ID = 'prj_01k3h1x9c5e7ja6ps0wg3yk8fm';

const LEAD_ID = 'lead_01k3h1x9c4fdr8v2m7zq5tbwne';

const OF_PROJECT = { projectId: PROJECT_ID, leadId: LEAD_ID };

const QUOTE_ID = 'quo_01k3h3f6r2x9vq8m4wt5nzc7be';

const DEPOSIT_ID = 'dep_01k3h4a8t5n2wq6z9xr7mvc4be';

const INVOICE_ID = 'inv_01k3hb2d9w6m4xt8qz5nrv7cbe';

const COMPANY_ID = INSTALLER_JOB_EXAMPLE.company.id;

const TOTAL = { amountMinor: 1_849_900, currency: 'USD' };

const DEPOSIT = { amountMinor: 250_000, currency: 'USD' };

const WEBHOOK = {
  subscriptionId: 'whk_01k3h5d8vqf2mw7x0r4tn6ysbe',
  description: 'Dispatch board',
  host: 'hooks.example.com',
};

const entry = (id: string) => ({
  entryId: id,
  companyId: COMPANY_ID,
  projectId: PROJECT_ID,
  recordedAt: '2026-09-03T12:31:07.412Z',
});

/** Data of the example events. */
const EXAMPLE_DATA = {
  'quote.sent': {
    quoteId: QUOTE_ID,
    ...OF_PROJECT,
    total: TOTAL,
    validUntil: '2026-10-03T23:59:59.000Z',
  },
  'quote.viewed': { quoteId: QUOTE_ID, ...OF_PROJECT, viewedAt: '2026-09-03T12:31:07.412Z' },
  'quote.accepted': {
    quoteId: QUOTE_ID,
    ...OF_PROJECT,
    optionName: 'Heat pump with water heater',
    total: TOTAL,
    acceptedAt: '2026-09-03T12:31:07.412Z',
  },
  'project.stage_changed': { ...OF_PROJECT, previousStage: 'DESIGN', stage: 'PERMITTING' },
  'deposit.paid': {
    depositId: DEPOSIT_ID,
    ...OF_PROJECT,
    amount: DEPOSIT,
    paidAt: '2026-09-03T12:31:07.412Z',
  },
  'deposit.refunded': {
    depositId: DEPOSIT_ID,
    ...OF_PROJECT,
    amount: DEPOSIT,
    refundedAt: '2026-09-03T12:31:07.412Z',
  },
  'invoice.issued': {
    invoiceId: INVOICE_ID,
    ...OF_PROJECT,
    invoiceNumber: 'INV-2026-0417',
    total: TOTAL,
    issuedAt: '2026-09-03T12:31:07.412Z',
    dueAt: '2026-10-03T00:00:00.000Z',
  },
  'rebate.status_changed': {
    rebateId: 'reb_01k3hc7v4x2m9wt6qz8nr5dcbe',
    ...OF_PROJECT,
    programme: 'State heat pump rebate',
    previousStatus: 'SUBMITTED',
    status: 'APPROVED',
  },
  'project.completed': { ...OF_PROJECT, completedAt: '2026-09-03T12:31:07.412Z' },
  'install.job_cancelled': { jobId: JOB_ID, previousStatus: 'ACKNOWLEDGED' },
  'install.document_available': {
    jobId: JOB_ID,
    document: {
      id: 'doc_01k3h6e2n8v5wx4q9zt7rmc6be',
      category: 'PERMIT',
      mime: 'application/pdf',
      availableAt: '2026-09-03T12:31:07.000Z',
    },
  },
  'install.completion_received': { jobId: JOB_ID, acceptedAt: '2026-09-03T12:31:07.412Z' },
  'install.scope_acknowledgement_required': { jobId: JOB_ID, scopeVersion: 3, previousScopeVersion: 2 },
  'journal.deposit_recorded': {
    ...entry('jrn_01k3h4b1w8q5mx2z7nt9rvc6de'),
    depositId: DEPOSIT_ID,
    amount: DEPOSIT,
  },
  'journal.invoice_recorded': {
    ...entry('jrn_01k3hb3e5m9wx8q2zt6nrv4cde'),
    invoiceId: INVOICE_ID,
    invoiceNumber: 'INV-2026-0417',
    amount: TOTAL,
  },
  'journal.payout_recorded': {
    ...entry('jrn_01k3hd8r2x6wq9m4vt5nzc7bde'),
    payoutId: 'pay_01k3hd8q9w5mx2z7nt4rvc6bde',
    payeeCompanyId: 'cmp_01k3g9s5t8m4wx2q7zn6rvc9de',
    amount: { amountMinor: 620_000, currency: 'USD' },
  },
  'journal.adjustment_recorded': {
    ...entry('jrn_01k3he2v7q4mx9w6zt8nrc5bde'),
    adjustsEntryId: 'jrn_01k3hb3e5m9wx8q2zt6nrv4cde',
    reasonCode: 'PRICE_CORRECTION',
    amount: { amountMinor: -15_000, currency: 'USD' },
  },
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
    leadId: LEAD_ID,
    projectId: PROJECT_ID,
    startsAt: '2026-09-01T15:00:00.000Z',
    endsAt: '2026-09-01T17:00:00.000Z',
    notes: 'Ring twice. The dog is friendly.',
  },
  'install.test': {
    subscriptionId: WEBHOOK.subscriptionId,
    message: 'This is a test delivery. It is safe to ignore.',
  },
  'webhook.endpoint_failing': WEBHOOK,
  'webhook.endpoint_recovered': { ...WEBHOOK, failingSince: '2026-09-03T11:02:41.120Z' },
  'webhook.deliveries_dead_lettered': {
    ...WEBHOOK,
    count: 12,
    firstAt: '2026-09-03T11:44:02.050Z',
    lastAt: '2026-09-03T12:30:58.731Z',
  },
  'webhook.secret_expiring': {
    ...WEBHOOK,
    secretVersion: 1,
    activeSecretVersion: 2,
    expiresAt: '2026-09-04T00:31:07.412Z',
  },
  'webhook.certificate_expiring': { ...WEBHOOK, expiresAt: '2026-09-17T12:00:00.000Z' },
  'api_key.expiring': {
    keyId: 'key_01k3g9v2m6t8xwq4z7nr5dcb9e',
    lastFour: 'q7Zr',
    replacedBy: 'key_01k3jc5w8n2q6mx9z4t7rvdcbe',
    expiresAt: '2026-09-04T12:31:00.000Z',
  },
} as const satisfies { readonly [E in EventName]: EventData<E> };

const job = { type: 'install_job', id: JOB_ID, version: 8 } as const;

const project = { type: 'project', id: PROJECT_ID, version: 4 } as const;

const deposit = { type: 'deposit', id: DEPOSIT_ID } as const;

const journalEntry = (event: EventName & `journal.${string}`) =>
  envelope(event, { type: 'journal_entry', id: EXAMPLE_DATA[event].entryId, version: 1 });

const webhook = (event: EventName & `webhook.${string}`, version: number) =>
  envelope(event, { type: 'webhook_subscription', id: WEBHOOK.subscriptionId, version });

const quote = (version: number) => ({ type: 'quote', id: QUOTE_ID, version });

/** A complete envelope of each event. */
export const WEBHOOK_EXAMPLES = {
  'quote.sent': envelope('quote.sent', quote(1)),
  'quote.viewed': envelope('quote.viewed', quote(2)),
  'quote.accepted': envelope('quote.accepted', quote(3)),
  'project.stage_changed': envelope('project.stage_changed', project),
  'appointment.booked': envelope('appointment.booked', {
    type: 'appointment',
    id: EXAMPLE_DATA['appointment.booked'].appointmentId,
    version: 1,
  }),
  'deposit.paid': envelope('deposit.paid', { ...deposit, version: 1 }),
  'deposit.refunded': envelope('deposit.refunded', { ...deposit, version: 2 }),
  'invoice.issued': envelope('invoice.issued', { type: 'invoice', id: INVOICE_ID, version: 1 }),
  'rebate.status_changed': envelope('rebate.status_changed', {
    type: 'rebate',
    id: EXAMPLE_DATA['rebate.status_changed'].rebateId,
    version: 2,
  }),
  'project.completed': envelope('project.completed', project),
  'install.job_assigned': envelope('install.job_assigned', { ...job, version: 1 }),
  'install.job_unassigned': envelope('install.job_unassigned', job),
  'install.job_cancelled': envelope('install.job_cancelled', job),
  'install.schedule_changed': envelope('install.schedule_changed', job),
  'install.readiness_changed': envelope('install.readiness_changed', job),
  'install.document_available': envelope('install.document_available', job),
  'install.status_changed': envelope('install.status_changed', job),
  'install.completion_received': envelope('install.completion_received', job),
  'install.scope_acknowledgement_required': envelope('install.scope_acknowledgement_required', job),
  'install.test': envelope('install.test', {
    type: 'webhook_subscription',
    id: EXAMPLE_DATA['install.test'].subscriptionId,
    version: 1,
  }),
  'journal.deposit_recorded': journalEntry('journal.deposit_recorded'),
  'journal.invoice_recorded': journalEntry('journal.invoice_recorded'),
  'journal.payout_recorded': journalEntry('journal.payout_recorded'),
  'journal.adjustment_recorded': journalEntry('journal.adjustment_recorded'),
  'webhook.endpoint_failing': webhook('webhook.endpoint_failing', 1),
  'webhook.endpoint_recovered': webhook('webhook.endpoint_recovered', 2),
  'webhook.deliveries_dead_lettered': webhook('webhook.deliveries_dead_lettered', 3),
  'webhook.secret_expiring': webhook('webhook.secret_expiring', 4),
  'webhook.certificate_expiring': webhook('webhook.certificate_expiring', 5),
  'api_key.expiring': envelope('api_key.expiring', {
    type: 'api_key',
    id: EXAMPLE_DATA['api_key.expiring'].keyId,
    version: 1,
  }),
} as const satisfies { readonly [E in EventName]: WebhookEnvelope };

function envelope(event: EventName, resource: WebhookEnvelope['resource']): WebhookEnvelope {
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

/** The event that {@link DELIVERY_EXAMPLE} delivers. */
export const EVENT_EXAMPLE = WEBHOOK_EXAMPLES['install.status_changed'];
