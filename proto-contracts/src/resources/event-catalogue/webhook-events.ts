import { z } from 'zod';
import {
  BLOCKER_CODES,
  blockerCodes,
  DOCUMENT_CATEGORIES,
  jobSchedule,
  jobStatus,
  scheduleStatus,
} from '../job/job.js';
import { dateTimeOut } from '../../values/date-time.js';
import { redacted } from '../../values/redacted.js';
import type { EventName } from './catalogue.js';

/** Document categories that installer companies receive an event for. */
export const ANNOUNCED_DOCUMENT_CATEGORIES = DOCUMENT_CATEGORIES.filter(
  (category) => category !== 'CONTRACT_METADATA',
);

const money = z
  .strictObject({
    amountMinor: z.int().meta({ description: "In the currency's minor unit, e.g. cents.", format: 'int64' }),
    currency: z.string().meta({ description: 'ISO 4217 code, e.g. `USD`.' }),
  })
  .meta({ id: 'Money', description: 'An amount of money.' });

const id = (description: string) => z.string().meta({ description });

const projectId = id('The project that it belongs to.');

/** An event about a resource of a project, for the company of the project only. */
const ofProject = {
  projectId,
  leadId: z
    .string()
    .nullable()
    .optional()
    .meta({
      description:
        'The lead of the project. Null if the project has none. Events that were recorded before 2026-11-26 do not have the' +
        ' field.',
    }),
};

const jobId = id('The job that it is about.');

const depositId = id('The id of the deposit.');

const invoiceId = id('The id of the invoice.');

const invoiceNumber = id('The number printed on the invoice.');

const quoteId = id('The id of the quote.');

const previousJobStatus = jobStatus.meta({ description: 'The status before the change.' });

const journalEntry = {
  entryId: id('The id of the journal entry.'),
  companyId: z.string().meta({ description: 'The company whose journal it is.' }),
  projectId: projectId.nullable(),
  recordedAt: dateTimeOut,
};

/** The webhook that a notification is about: no path of its URL, which can hold a secret. */
const aboutWebhook = {
  subscriptionId: id('The webhook subscription that it is about.'),
  description: id('Its description; may be empty.'),
  host: id('The host of its URL.'),
};

/**
 * The `data` of each event, as an allow-list. Strict: a field that is not listed cannot be sent. No event holds a
 * customer's contact details; those for installer companies hold no price (spec: What the service does 6, Events).
 */
export const eventData = {
  'quote.sent': z.strictObject({
    quoteId,
    ...ofProject,
    total: money,
    validUntil: dateTimeOut.nullable().meta({ description: 'Null if it does not expire.' }),
  }),
  'quote.viewed': z.strictObject({ quoteId, ...ofProject, viewedAt: dateTimeOut }),
  'quote.accepted': z.strictObject({
    quoteId,
    ...ofProject,
    optionName: z.string().nullable().meta({ description: 'Null if there was only one option.' }),
    total: money,
    acceptedAt: dateTimeOut,
  }),
  'project.stage_changed': z.strictObject({
    ...ofProject,
    previousStage: z.string().nullable().meta({ description: 'Null for the first stage.' }),
    stage: id('The stage after the change.'),
  }),
  'appointment.booked': z.strictObject({
    appointmentId: id('The id of the appointment.'),
    leadId: id('The lead that it is for.'),
    projectId: projectId.nullable().meta({
      description:
        'The project that the booking names, else that of the lead. Null in events from before 2026-11-26 if the booking named' +
        ' none.',
    }),
    startsAt: dateTimeOut,
    endsAt: dateTimeOut,
    notes: id('The notes of the booking.').nullable(),
  }),
  'deposit.paid': z.strictObject({ depositId, ...ofProject, amount: money, paidAt: dateTimeOut }),
  'deposit.refunded': z.strictObject({
    depositId,
    ...ofProject,
    amount: money,
    refundedAt: dateTimeOut,
  }),
  'invoice.issued': z.strictObject({
    invoiceId,
    ...ofProject,
    invoiceNumber,
    total: money,
    issuedAt: dateTimeOut,
    dueAt: dateTimeOut.nullable().meta({ description: 'Null: at once.' }),
  }),
  'rebate.status_changed': z.strictObject({
    rebateId: id('The id of the rebate or incentive.'),
    ...ofProject,
    programme: id('The programme that grants it.'),
    previousStatus: z.string().nullable().meta({ description: 'Null for the first state.' }),
    status: id('The status after the change.'),
  }),
  'project.completed': z.strictObject({ ...ofProject, completedAt: dateTimeOut }),
  'install.job_assigned': z.strictObject({ jobId, status: jobStatus }),
  'install.job_unassigned': z.strictObject({ jobId }),
  'install.job_cancelled': z.strictObject({ jobId, previousStatus: previousJobStatus }),
  'install.schedule_changed': z.strictObject({
    jobId,
    changedBy: z.enum(['installer', 'seller']).meta({ description: '`installer`: your own company.' }),
    previousStatus: scheduleStatus.meta({ description: 'The status of the schedule before the change.' }),
    schedule: jobSchedule,
  }),
  'install.readiness_changed': z.strictObject({
    jobId,
    ready: z.boolean().meta({ description: 'True: work can begin.' }),
    blockerCodes,
  }),
  'install.document_available': z.strictObject({
    jobId,
    document: z
      .strictObject({
        id: id('The id of the document.'),
        category: z.enum(ANNOUNCED_DOCUMENT_CATEGORIES).meta({ description: 'What kind of document it is.' }),
        mime: id('Media type, e.g. `application/pdf`.'),
        availableAt: dateTimeOut,
      })
      .meta({ id: 'AnnouncedDocument', description: 'A document that can be fetched.' }),
  }),
  'install.status_changed': z.strictObject({
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
  'install.completion_received': z.strictObject({ jobId, acceptedAt: dateTimeOut }),
  'install.scope_acknowledgement_required': z.strictObject({
    jobId,
    scopeVersion: z.int().meta({ description: 'The version of the scope after the change.' }),
    previousScopeVersion: z.int().meta({ description: 'The version before the change.' }),
  }),
  'install.test': z.strictObject({
    subscriptionId: id('The subscription that is tested.'),
    message: id('A text for people.'),
  }),
  'journal.deposit_recorded': z.strictObject({
    ...journalEntry,
    depositId,
    amount: money,
  }),
  'journal.invoice_recorded': z.strictObject({
    ...journalEntry,
    invoiceId,
    invoiceNumber: z
      .string()
      .meta({ description: 'A code of capital letters and digits, e.g. `INV-2026-0417`.' }),
    amount: money,
  }),
  'journal.payout_recorded': z.strictObject({
    ...journalEntry,
    payoutId: id('The id of the payout.'),
    payeeCompanyId: id('The company that is paid.'),
    amount: money,
  }),
  'journal.adjustment_recorded': z.strictObject({
    ...journalEntry,
    adjustsEntryId: z.string().nullable().meta({ description: 'The entry that is corrected.' }),
    reasonCode: z.string().meta({ description: 'A code of capital letters and digits, e.g. `WRITE_OFF`.' }),
    amount: money.meta({ description: 'Negative lowers.' }),
  }),
  'webhook.endpoint_failing': z.strictObject(aboutWebhook),
  'webhook.endpoint_recovered': z.strictObject({
    ...aboutWebhook,
    failingSince: dateTimeOut.meta({ description: 'When `webhook.endpoint_failing` occurred.' }),
  }),
  'webhook.deliveries_dead_lettered': z.strictObject({
    ...aboutWebhook,
    count: z.int().meta({ description: 'The number of deliveries since the previous event of this kind.' }),
    firstAt: dateTimeOut.meta({ description: 'When the first of them was dead-lettered.' }),
    lastAt: dateTimeOut.meta({ description: 'When the last of them was dead-lettered.' }),
  }),
  'webhook.secret_expiring': z.strictObject({
    ...aboutWebhook,
    secretVersion: z.int().meta({ description: 'The version that ends.' }),
    activeSecretVersion: z.int().meta({ description: 'The version that signs deliveries.' }),
    expiresAt: dateTimeOut.meta({ description: 'When the secret ends.' }),
  }),
  'webhook.certificate_expiring': z.strictObject({
    ...aboutWebhook,
    expiresAt: dateTimeOut.meta({
      description: 'When the certificate that the endpoint presented last expires.',
    }),
  }),
  'api_key.expiring': z.strictObject({
    keyId: id('The id of the key.'),
    lastFour: id('The last four characters of the key.'),
    replacedBy: z
      .string()
      .nullable()
      .meta({ description: 'The id of the key that a rotation created in its place; null without one.' }),
    expiresAt: dateTimeOut.meta({ description: 'When the key ends.' }),
  }),
} as const satisfies Record<EventName, z.ZodType>;

/** The fields of `data` that can hold personal data of customers. All of them are nullable texts. */
export const PERSONAL_EVENT_FIELDS: ReadonlySet<string> = new Set(['note', 'notes']);

export type EventData<E extends EventName> = z.infer<(typeof eventData)[E]>;

/** An event about a resource of a project: it has `leadId`. */
export type EventOfProject = {
  readonly [E in EventName]: EventData<E> extends { readonly projectId: string } ? E : never;
}[EventName];

/** The resource of an event (spec: Webhook envelope). */
export const eventResource = z
  .strictObject({
    type: z.string().meta({ description: 'E.g. `install_job`.' }),
    id: id('The id of the resource.'),
    version: z.int().meta({
      description:
        'For a job the same as its `version`. Ignore an event about a version older than yours; send it' +
        ' as `expectedVersion` when you write back.',
    }),
  })
  .meta({ id: 'EventResource', description: 'What the event is about.' });

/** The body of every webhook (spec: Webhook envelope). */
export const webhookEnvelope = z.strictObject({
  id: z.string().meta({ description: 'The id of the event, the same in every attempt: de-duplicate by it.' }),
  event: z.string().meta({ description: 'The name of the event.' }),
  apiVersion: z.string().meta({ description: 'The current version date of the API.' }),
  schemaVersion: z.int().meta({
    description: 'Increases with a breaking change of the payload, for subscriptions that opted in.',
  }),
  occurredAt: dateTimeOut,
  resource: eventResource,
  data: z.record(z.string(), z.unknown()).meta({ description: 'Depends on the event.' }),
  redacted,
});

export type WebhookEnvelope = z.infer<typeof webhookEnvelope>;
