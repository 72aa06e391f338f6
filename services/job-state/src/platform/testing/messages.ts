import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CompanyChangedSchema,
  CompanyClass,
  MembershipChangedSchema,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  DocumentCategory,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import {
  AppointmentScheduledSchema,
  DepositPaidSchema,
  DepositRefundedSchema,
  InvoiceIssuedSchema,
  JournalEntryRecordedSchema,
  ProjectCompletedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { platformMessage, TEST_NOW } from '../../testing/test-jobs.js';

/** An instant some minutes after `TEST_NOW`. */
export const at = (minutes: number) => new Date(TEST_NOW.getTime() + minutes * 60_000);
export const stamp = (minutes = 0) => timestampFromDate(at(minutes));

/** Creates messages of a type, with a whole message's values for the fields that a test does not give. */
function sample<Desc extends DescMessage>(schema: Desc, whole: () => MessageInitShape<Desc>) {
  return (given?: MessageInitShape<Desc>): IncomingMessage =>
    platformMessage(schema, { ...whole(), ...given });
}

const about = () => ({ version: 1, occurredAt: stamp() });
const aboutJob = () => ({ ...about(), jobId: newId('job') });
const ofProject = () => ({ ...about(), projectId: newId('prj') });
export const MONEY = { amountMinor: '250000', currency: 'USD' };
export const CUSTOMER = {
  name: 'Jordan Ellis',
  phone: '+1 555 0100',
  line1: '12 Maple Street',
  city: 'Boulder',
  state: 'CO',
  zip: '80302',
};
export const SCOPE = {
  packageName: 'Heat Pump Essential',
  systemType: 'HVAC',
  equipment: [{ name: 'Air-source heat pump', model: 'HP-36K', quantity: 1 }],
  accessories: [{ name: 'Mounting kit', quantity: 2 }],
  supplierSources: [{ name: 'Central Supply' }],
  scopeVersion: 2,
};

/** Every message that the platform sends. */
export const sent = {
  companyChanged: sample(CompanyChangedSchema, () => ({
    ...about(),
    companyId: newId('cmp'),
    name: 'Harbor Home',
    class: CompanyClass.SALES,
  })),
  membershipChanged: sample(MembershipChangedSchema, () => ({
    ...about(),
    membershipId: newId('mem'),
    companyId: newId('cmp'),
    role: MembershipRole.OWNER,
    displayName: 'Ada Cole',
    email: 'ada@harbor.example',
    active: true,
  })),
  jobCreated: sample(JobCreatedSchema, () => ({
    ...aboutJob(),
    sellingCompanyId: newId('cmp'),
    workOrderNo: 'WO-1',
    customer: CUSTOMER,
    scope: SCOPE,
  })),
  jobAssigned: sample(JobAssignedSchema, () => ({ ...aboutJob(), installerCompanyId: newId('cmp') })),
  jobUnassigned: sample(JobUnassignedSchema, aboutJob),
  jobCancelled: sample(JobCancelledSchema, aboutJob),
  jobScopeChanged: sample(JobScopeChangedSchema, () => ({ ...aboutJob(), scope: SCOPE })),
  jobReadinessChanged: sample(JobReadinessChangedSchema, () => ({ ...aboutJob(), ready: true })),
  jobScheduled: sample(JobScheduledSchema, () => ({
    ...aboutJob(),
    status: JobScheduleStatus.CONFIRMED,
    startsAt: stamp(),
    endsAt: stamp(60),
    timeZone: 'America/Denver',
  })),
  jobDocumentAvailable: sample(JobDocumentAvailableSchema, () => ({
    ...aboutJob(),
    documentId: newId('doc'),
    category: DocumentCategory.PERMIT,
    mime: 'application/pdf',
  })),
  jobCompletionAccepted: sample(JobCompletionAcceptedSchema, aboutJob),
  projectCreated: sample(ProjectCreatedSchema, () => ({ ...ofProject(), sellingCompanyId: newId('cmp') })),
  projectStageChanged: sample(ProjectStageChangedSchema, () => ({
    ...ofProject(),
    previousStage: 'DESIGN',
    stage: 'PERMITTING',
  })),
  projectCompleted: sample(ProjectCompletedSchema, ofProject),
  quoteSent: sample(QuoteSentSchema, () => ({ ...ofProject(), quoteId: newId('quo'), total: MONEY })),
  quoteViewed: sample(QuoteViewedSchema, () => ({ ...ofProject(), quoteId: newId('quo') })),
  quoteAccepted: sample(QuoteAcceptedSchema, () => ({
    ...ofProject(),
    quoteId: newId('quo'),
    optionName: 'Complete',
    total: MONEY,
  })),
  depositPaid: sample(DepositPaidSchema, () => ({ ...ofProject(), depositId: newId('dep'), amount: MONEY })),
  depositRefunded: sample(DepositRefundedSchema, () => ({
    ...ofProject(),
    depositId: newId('dep'),
    amount: MONEY,
  })),
  invoiceIssued: sample(InvoiceIssuedSchema, () => ({
    ...ofProject(),
    invoiceId: newId('inv'),
    invoiceNumber: 'INV-7',
    total: MONEY,
    dueAt: stamp(60),
  })),
  rebateStatusChanged: sample(RebateStatusChangedSchema, () => ({
    ...ofProject(),
    rebateId: newId('reb'),
    programme: 'State rebate',
    status: 'APPROVED',
  })),
  appointmentScheduled: sample(AppointmentScheduledSchema, () => ({
    ...about(),
    appointmentId: newId('appt'),
    leadId: newId('lead'),
    startsAt: stamp(60),
    endsAt: stamp(120),
  })),
  journalEntryRecorded: sample(JournalEntryRecordedSchema, () => ({
    entryId: newId('jrn'),
    companyId: newId('cmp'),
    record: { case: 'deposit' as const, value: { depositId: newId('dep'), amount: MONEY } },
    occurredAt: stamp(),
  })),
};
