import type { EventName } from '@partner/proto-contracts/public-api/webhook-events';

const MONEY = (field: string) => [`${field}.amountMinor`, `${field}.currency`];
const JOURNAL_ENTRY = ['entryId', 'companyId', 'projectId', 'recordedAt'];

/** What stands around the `data` of every event. */
export const ENVELOPE_PATHS: readonly string[] = [
  'id',
  'event',
  'apiVersion',
  'schemaVersion',
  'occurredAt',
  'resource.type',
  'resource.id',
  'resource.version',
];

/**
 * Every field of the `data` of every event that may leave the service. A new field belongs here too, on purpose: whoever adds
 * one says with it that the companies that may have the event may know it (spec: What the service does 6; Events).
 */
export const DATA_PATHS: Readonly<Record<EventName, readonly string[]>> = {
  'quote.sent': ['quoteId', 'projectId', ...MONEY('total'), 'validUntil'],
  'quote.viewed': ['quoteId', 'projectId', 'viewedAt'],
  'quote.accepted': ['quoteId', 'projectId', 'optionName', ...MONEY('total'), 'acceptedAt'],
  'project.stage_changed': ['projectId', 'previousStage', 'stage'],
  'appointment.booked': ['appointmentId', 'leadId', 'projectId', 'startsAt', 'endsAt', 'notes'],
  'deposit.paid': ['depositId', 'projectId', ...MONEY('amount'), 'paidAt'],
  'deposit.refunded': ['depositId', 'projectId', ...MONEY('amount'), 'refundedAt'],
  'invoice.issued': ['invoiceId', 'projectId', 'invoiceNumber', ...MONEY('total'), 'issuedAt', 'dueAt'],
  'rebate.status_changed': ['rebateId', 'projectId', 'programme', 'previousStatus', 'status'],
  'project.completed': ['projectId', 'completedAt'],
  'install.job_assigned': ['jobId', 'status'],
  'install.job_unassigned': ['jobId'],
  'install.job_cancelled': ['jobId', 'previousStatus'],
  'install.schedule_changed': [
    'jobId',
    'changedBy',
    'previousStatus',
    'schedule.status',
    'schedule.startsAt',
    'schedule.endsAt',
    'schedule.timeZone',
  ],
  'install.readiness_changed': ['jobId', 'ready', 'blockerCodes[]'],
  'install.document_available': [
    'jobId',
    'document.id',
    'document.category',
    'document.mime',
    'document.availableAt',
  ],
  'install.status_changed': ['jobId', 'previousStatus', 'status', 'occurredAt', 'note', 'blockerCode'],
  'install.completion_received': ['jobId', 'acceptedAt'],
  'install.scope_acknowledgement_required': ['jobId', 'scopeVersion', 'previousScopeVersion'],
  'install.test': ['subscriptionId', 'message'],
  'journal.deposit_recorded': [...JOURNAL_ENTRY, 'depositId', ...MONEY('amount')],
  'journal.invoice_recorded': [...JOURNAL_ENTRY, 'invoiceId', 'invoiceNumber', ...MONEY('amount')],
  'journal.payout_recorded': [...JOURNAL_ENTRY, 'payoutId', 'payeeCompanyId', ...MONEY('amount')],
  'journal.adjustment_recorded': [...JOURNAL_ENTRY, 'adjustsEntryId', 'reasonCode', ...MONEY('amount')],
};

/** Every field of a job that its installer may see. */
export const INSTALLER_JOB_PATHS: readonly string[] = [
  'id',
  'version',
  'status',
  'company.id',
  'company.name',
  'customer.name',
  'customer.phone',
  'customer.address.line1',
  'customer.address.city',
  'customer.address.state',
  'customer.address.zip',
  'scope.packageName',
  'scope.systemType',
  'scope.equipment[].name',
  'scope.equipment[].model',
  'scope.equipment[].quantity',
  'scope.accessories[].name',
  'scope.accessories[].model',
  'scope.accessories[].quantity',
  'scope.supplierSources[].name',
  'scope.supplierSources[].reference',
  'scope.scopeVersion',
  'schedule.status',
  'schedule.startsAt',
  'schedule.endsAt',
  'schedule.timeZone',
  'readiness.ready',
  'readiness.blockerCodes[]',
  'documents[].id',
  'documents[].category',
  'documents[].mime',
  'documents[].availableAt',
  'technicianAssignments[].membershipId',
  'technicianAssignments[].assignedAt',
  'updatedAt',
];

/** Every field of the body of an event. */
export function envelopePaths(event: EventName): readonly string[] {
  return [...ENVELOPE_PATHS, ...DATA_PATHS[event].map((path) => `data.${path}`)];
}
