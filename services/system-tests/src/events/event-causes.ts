import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  AppointmentScheduledSchema,
  DepositPaidSchema,
  DepositRefundedSchema,
  DocumentCategory,
  InvoiceIssuedSchema,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
  JournalEntryRecordedSchema,
  ProjectCompletedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { appointmentBooked } from '@partner/proto-contracts/public-api/appointment';
import { type InstallerJob, jobResponse } from '@partner/proto-contracts/public-api/installer-job';
import type { EventData, EventName } from '@partner/proto-contracts/public-api/webhook-events';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { call } from '../support/http-call.js';
import { assignNewJob, jobCreated } from '../support/platform-job.js';
import type { TestStack } from '../support/test-stack.js';
import type { EventWorld } from './event-world.js';

/** What a webhook has to say of something that has happened. */
export interface AnnouncedEvent<E extends EventName = EventName> {
  readonly event: E;
  /** Undefined: the instant of the service's clock at which it took effect, which nothing else tells. */
  readonly occurredAt: string | undefined;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly data: EventData<E>;
}

/** Makes something happen and says what the company's server has to hear of it. */
export type Cause<E extends EventName> = (
  stack: TestStack,
  world: EventWorld,
) => Promise<Omit<AnnouncedEvent<E>, 'event'>>;

const TOTAL = { amountMinor: '1849900', currency: 'USD' };
const TOTAL_TOLD = { amountMinor: 1_849_900, currency: 'USD' };
const STARTS = new Date('2026-12-01T15:00:00.250Z');
const ENDS = new Date('2026-12-01T17:00:00.000Z');

let instants = 0;

/** An instant of the platform's clock, another one each time, as its messages and as webhooks say it. */
function anInstant() {
  const instant = new Date(Date.now() - 60_000 - (instants += 1));
  return { occurredAt: timestampFromDate(instant), told: instant.toISOString() };
}

const sellerOf = (world: EventWorld) => world.companies.SALES.own.id;
const installerOf = (world: EventWorld) => world.companies.INSTALLER.own.id;

const newJob = (stack: TestStack, world: EventWorld): Promise<InstallerJob> =>
  assignNewJob(stack, {
    sellingCompanyId: sellerOf(world),
    installerCompanyId: installerOf(world),
    installerKey: world.keys.installer,
  });

async function write(
  stack: TestStack,
  world: EventWorld,
  method: string,
  path: string,
  body: Readonly<Record<string, unknown>>,
): Promise<InstallerJob> {
  const answer = await call(stack.baseUrl, `/partner/v1/jobs/${path}`, {
    method,
    headers: { 'x-api-key': world.keys.installer, 'idempotency-key': newId('evt') },
    body,
  });
  return jobResponse.parse(answer.json).resource;
}

/** The job as its installer reads it, once it has come to a version. */
function jobAt(stack: TestStack, world: EventWorld, jobId: string, version: number): Promise<InstallerJob> {
  return eventually(`version ${version} of the job`, async () => {
    const answer = await call(stack.baseUrl, `/partner/v1/jobs/${jobId}`, {
      headers: { 'x-api-key': world.keys.installer },
    });
    const { resource } = jobResponse.parse(answer.json);
    return resource.version === version && resource;
  });
}

const aboutJob = ({ id, version, updatedAt }: InstallerJob) => ({
  occurredAt: updatedAt,
  resource: { type: 'install_job', id, version },
});

/** A project that the platform has made. */
async function newProject(stack: TestStack, world: EventWorld): Promise<string> {
  const projectId = newId('prj');
  await stack.publishFromPlatform(ProjectCreatedSchema, {
    projectId,
    version: 1,
    sellingCompanyId: sellerOf(world),
    occurredAt: anInstant().occurredAt,
  });
  return projectId;
}

/** An entry of the seller's journal with what its webhook tells of any entry. */
async function recordEntry(
  stack: TestStack,
  world: EventWorld,
  record:
    | { readonly case: 'deposit'; readonly value: { depositId: string; amount: typeof TOTAL } }
    | {
        readonly case: 'invoice';
        readonly value: { invoiceId: string; invoiceNumber: string; amount: typeof TOTAL };
      }
    | {
        readonly case: 'payout';
        readonly value: { payoutId: string; payeeCompanyId: string; amount: typeof TOTAL };
      }
    | {
        readonly case: 'adjustment';
        readonly value: { adjustsEntryId?: string; reasonCode: string; amount: typeof TOTAL };
      },
  projectId: string | null = world.projectId,
) {
  const entryId = newId('jrn');
  const { occurredAt, told } = anInstant();
  await stack.publishFromPlatform(JournalEntryRecordedSchema, {
    entryId,
    companyId: sellerOf(world),
    ...(projectId === null ? {} : { projectId }),
    record,
    occurredAt,
  });
  return {
    occurredAt: told,
    resource: { type: 'journal_entry', id: entryId, version: 1 },
    entry: { entryId, companyId: sellerOf(world), projectId, recordedAt: told },
  };
}

/** Everything that makes each event happen, by what it is. An event has at least one cause. */
export const EVENT_CAUSES: { readonly [E in EventName]: Readonly<Record<string, Cause<E>>> } = {
  'quote.sent': {
    'the platform': async (stack, world) => {
      const quoteId = newId('quo');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(QuoteSentSchema, {
        quoteId,
        version: 1,
        projectId,
        total: TOTAL,
        validUntil: timestampFromDate(ENDS),
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'quote', id: quoteId, version: 1 },
        data: { quoteId, projectId, total: TOTAL_TOLD, validUntil: ENDS.toISOString() },
      };
    },
  },
  'quote.viewed': {
    'the platform': async (stack, world) => {
      const quoteId = newId('quo');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(QuoteViewedSchema, { quoteId, version: 2, projectId, occurredAt });
      return {
        occurredAt: told,
        resource: { type: 'quote', id: quoteId, version: 2 },
        data: { quoteId, projectId, viewedAt: told },
      };
    },
  },
  'quote.accepted': {
    'the platform': async (stack, world) => {
      const quoteId = newId('quo');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(QuoteAcceptedSchema, {
        quoteId,
        version: 3,
        projectId,
        optionName: 'With a water heater',
        total: TOTAL,
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'quote', id: quoteId, version: 3 },
        data: {
          quoteId,
          projectId,
          optionName: 'With a water heater',
          total: TOTAL_TOLD,
          acceptedAt: told,
        },
      };
    },
  },
  'project.stage_changed': {
    'the platform': async (stack, world) => {
      const projectId = await newProject(stack, world);
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(ProjectStageChangedSchema, {
        projectId,
        version: 2,
        previousStage: 'DESIGN',
        stage: 'PERMITTING',
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'project', id: projectId, version: 2 },
        data: { projectId, previousStage: 'DESIGN', stage: 'PERMITTING' },
      };
    },
  },
  'project.completed': {
    'the platform': async (stack, world) => {
      const projectId = await newProject(stack, world);
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(ProjectCompletedSchema, { projectId, version: 9, occurredAt });
      return {
        occurredAt: told,
        resource: { type: 'project', id: projectId, version: 9 },
        data: { projectId, completedAt: told },
      };
    },
  },
  'appointment.booked': {
    'a partner that books': async (stack, world) => {
      const { appointmentId, body } = await bookAppointment(stack, world);
      return {
        occurredAt: undefined,
        resource: { type: 'appointment', id: appointmentId, version: 1 },
        data: { appointmentId, ...body, projectId: null },
      };
    },
    'the platform that makes one': async (stack, world) => {
      const appointmentId = newId('appt');
      const { leadId, projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(AppointmentScheduledSchema, {
        appointmentId,
        version: 1,
        leadId,
        projectId,
        startsAt: timestampFromDate(STARTS),
        endsAt: timestampFromDate(ENDS),
        notes: 'Ring twice',
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'appointment', id: appointmentId, version: 1 },
        data: {
          appointmentId,
          leadId,
          projectId,
          startsAt: STARTS.toISOString(),
          endsAt: ENDS.toISOString(),
          notes: 'Ring twice',
        },
      };
    },
    'the platform that moves one of a partner': async (stack, world) => {
      const { appointmentId, body } = await bookAppointment(stack, world);
      const { occurredAt, told } = anInstant();
      const moved = new Date(ENDS.getTime() + 3_600_000);
      await stack.publishFromPlatform(AppointmentScheduledSchema, {
        appointmentId,
        version: 2,
        leadId: world.leadId,
        startsAt: timestampFromDate(ENDS),
        endsAt: timestampFromDate(moved),
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'appointment', id: appointmentId, version: 2 },
        data: {
          ...body,
          appointmentId,
          projectId: null,
          startsAt: ENDS.toISOString(),
          endsAt: moved.toISOString(),
        },
      };
    },
  },
  'deposit.paid': {
    'the platform': async (stack, world) => {
      const depositId = newId('dep');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(DepositPaidSchema, {
        depositId,
        version: 1,
        projectId,
        amount: TOTAL,
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'deposit', id: depositId, version: 1 },
        data: { depositId, projectId, amount: TOTAL_TOLD, paidAt: told },
      };
    },
  },
  'deposit.refunded': {
    'the platform': async (stack, world) => {
      const depositId = newId('dep');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(DepositRefundedSchema, {
        depositId,
        version: 2,
        projectId,
        amount: TOTAL,
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'deposit', id: depositId, version: 2 },
        data: { depositId, projectId, amount: TOTAL_TOLD, refundedAt: told },
      };
    },
  },
  'invoice.issued': {
    'the platform': async (stack, world) => {
      const invoiceId = newId('inv');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(InvoiceIssuedSchema, {
        invoiceId,
        version: 1,
        projectId,
        invoiceNumber: 'INV-2026-0417',
        total: TOTAL,
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'invoice', id: invoiceId, version: 1 },
        data: {
          invoiceId,
          projectId,
          invoiceNumber: 'INV-2026-0417',
          total: TOTAL_TOLD,
          issuedAt: told,
          dueAt: null,
        },
      };
    },
  },
  'rebate.status_changed': {
    'the platform': async (stack, world) => {
      const rebateId = newId('reb');
      const { projectId } = world;
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(RebateStatusChangedSchema, {
        rebateId,
        version: 4,
        projectId,
        programme: 'State heat pump rebate',
        status: 'SUBMITTED',
        occurredAt,
      });
      return {
        occurredAt: told,
        resource: { type: 'rebate', id: rebateId, version: 4 },
        data: {
          rebateId,
          projectId,
          programme: 'State heat pump rebate',
          previousStatus: null,
          status: 'SUBMITTED',
        },
      };
    },
  },
  'install.job_assigned': {
    'the platform': async (stack, world) => {
      const job = await newJob(stack, world);
      return { ...aboutJob(job), data: { jobId: job.id, status: 'ASSIGNED' } };
    },
  },
  'install.job_unassigned': {
    'the platform that gives the job to nobody': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobUnassignedSchema, {
        jobId: id,
        version: 3,
        occurredAt: anInstant().occurredAt,
      });
      return {
        occurredAt: undefined,
        resource: { type: 'install_job', id, version: 2 },
        data: { jobId: id },
      };
    },
    'the platform that gives the job to another company': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobAssignedSchema, {
        jobId: id,
        version: 3,
        installerCompanyId: world.bystanderId,
        occurredAt: anInstant().occurredAt,
      });
      return {
        occurredAt: undefined,
        resource: { type: 'install_job', id, version: 2 },
        data: { jobId: id },
      };
    },
  },
  'install.job_cancelled': {
    'the platform': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobCancelledSchema, {
        jobId: id,
        version: 3,
        occurredAt: anInstant().occurredAt,
      });
      const job = await jobAt(stack, world, id, 2);
      return { ...aboutJob(job), data: { jobId: id, previousStatus: 'ASSIGNED' } };
    },
  },
  'install.schedule_changed': {
    'the installer': async (stack, world) => {
      const { id, version } = await newJob(stack, world);
      const job = await write(stack, world, 'PUT', `${id}/schedule`, {
        status: 'TENTATIVE',
        startsAt: STARTS.toISOString(),
        endsAt: ENDS.toISOString(),
        timeZone: 'America/Chicago',
        expectedVersion: version,
      });
      return {
        ...aboutJob(job),
        data: {
          jobId: id,
          changedBy: 'installer',
          previousStatus: 'UNSCHEDULED',
          schedule: { status: 'TENTATIVE', ...TIMES_TOLD },
        },
      };
    },
    'the platform': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobScheduledSchema, {
        jobId: id,
        version: 3,
        status: JobScheduleStatus.CONFIRMED,
        startsAt: timestampFromDate(STARTS),
        endsAt: timestampFromDate(ENDS),
        timeZone: 'America/Chicago',
        occurredAt: anInstant().occurredAt,
      });
      const job = await jobAt(stack, world, id, 2);
      return {
        ...aboutJob(job),
        data: {
          jobId: id,
          changedBy: 'seller',
          previousStatus: 'UNSCHEDULED',
          schedule: { status: 'CONFIRMED', ...TIMES_TOLD },
        },
      };
    },
  },
  'install.readiness_changed': {
    'the platform': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobReadinessChangedSchema, {
        jobId: id,
        version: 3,
        ready: false,
        blockerCodes: ['PERMIT', 'MATERIAL_MISSING'],
        occurredAt: anInstant().occurredAt,
      });
      const job = await jobAt(stack, world, id, 2);
      return {
        ...aboutJob(job),
        data: { jobId: id, ready: false, blockerCodes: ['PERMIT', 'MATERIAL_MISSING'] },
      };
    },
    'the installer that is blocked': async (stack, world) => {
      const { id, version } = await newJob(stack, world);
      const job = await write(stack, world, 'POST', `${id}/status-events`, {
        status: 'BLOCKED',
        blockerCode: 'WEATHER',
        occurredAt: new Date().toISOString(),
        expectedVersion: version,
      });
      return { ...aboutJob(job), data: { jobId: id, ready: false, blockerCodes: ['WEATHER'] } };
    },
  },
  'install.document_available': {
    'the platform': async (stack, world) => {
      const { id } = await newJob(stack, world);
      const documentId = newId('doc');
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(JobDocumentAvailableSchema, {
        jobId: id,
        version: 3,
        documentId,
        category: DocumentCategory.PERMIT,
        mime: 'application/pdf',
        occurredAt,
      });
      await jobAt(stack, world, id, 2);
      return {
        occurredAt: told,
        resource: { type: 'install_job', id, version: 2 },
        data: {
          jobId: id,
          document: { id: documentId, category: 'PERMIT', mime: 'application/pdf', availableAt: told },
        },
      };
    },
  },
  'install.status_changed': {
    'the installer': async (stack, world) => {
      const { id, version } = await newJob(stack, world);
      const occurredAt = anInstant().told;
      const job = await write(stack, world, 'POST', `${id}/status-events`, {
        status: 'ACKNOWLEDGED',
        note: 'On it',
        occurredAt,
        expectedVersion: version,
      });
      return {
        ...aboutJob(job),
        data: {
          jobId: id,
          previousStatus: 'ASSIGNED',
          status: 'ACKNOWLEDGED',
          occurredAt,
          note: 'On it',
          blockerCode: null,
        },
      };
    },
    'the platform that cancels': async (stack, world) => {
      const { id } = await newJob(stack, world);
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(JobCancelledSchema, { jobId: id, version: 3, occurredAt });
      const job = await jobAt(stack, world, id, 2);
      return {
        ...aboutJob(job),
        data: {
          jobId: id,
          previousStatus: 'ASSIGNED',
          status: 'CANCELLED',
          occurredAt: told,
          note: null,
          blockerCode: null,
        },
      };
    },
  },
  'install.completion_received': {
    'the platform': async (stack, world) => {
      const { id, version } = await newJob(stack, world);
      let job = { id, version };
      for (const status of ['ACKNOWLEDGED', 'ON_SITE', 'IN_PROGRESS', 'COMPLETE']) {
        job = await write(stack, world, 'POST', `${id}/status-events`, {
          status,
          occurredAt: new Date().toISOString(),
          expectedVersion: job.version,
        });
      }
      const { occurredAt, told } = anInstant();
      await stack.publishFromPlatform(JobCompletionAcceptedSchema, { jobId: id, version: 3, occurredAt });
      return {
        occurredAt: told,
        resource: { type: 'install_job', id, version: 5 },
        data: { jobId: id, acceptedAt: told },
      };
    },
  },
  'install.scope_acknowledgement_required': {
    'the platform': async (stack, world) => {
      const { id } = await newJob(stack, world);
      await stack.publishFromPlatform(JobScopeChangedSchema, {
        jobId: id,
        version: 3,
        scope: { ...jobCreated(id, sellerOf(world)).scope, scopeVersion: 2 },
        occurredAt: anInstant().occurredAt,
      });
      const job = await jobAt(stack, world, id, 2);
      return { ...aboutJob(job), data: { jobId: id, scopeVersion: 2, previousScopeVersion: 1 } };
    },
  },
  'install.test': {
    'an owner': async (_stack, world) => {
      const { owner, subscription } = world.companies.INSTALLER.own;
      const sent = await owner.call('POST', `/partner-api/webhooks/${subscription.id}/test`);
      if (sent.status !== 202) throw new Error(`no test: ${sent.status} ${sent.text}`);
      return {
        occurredAt: undefined,
        resource: { type: 'webhook_subscription', id: subscription.id, version: 1 },
        data: {
          subscriptionId: subscription.id,
          message: 'This is a test delivery. It is safe to ignore.',
        },
      };
    },
  },
  'journal.deposit_recorded': {
    'the platform': async (stack, world) => {
      const depositId = newId('dep');
      const { entry, ...about } = await recordEntry(stack, world, {
        case: 'deposit',
        value: { depositId, amount: TOTAL },
      });
      return { ...about, data: { ...entry, depositId, amount: TOTAL_TOLD } };
    },
  },
  'journal.invoice_recorded': {
    'the platform': async (stack, world) => {
      const invoice = { invoiceId: newId('inv'), invoiceNumber: 'INV-2026-0417' };
      const { entry, ...about } = await recordEntry(stack, world, {
        case: 'invoice',
        value: { ...invoice, amount: TOTAL },
      });
      return { ...about, data: { ...entry, ...invoice, amount: TOTAL_TOLD } };
    },
  },
  'journal.payout_recorded': {
    'the platform': async (stack, world) => {
      const payout = { payoutId: newId('pay'), payeeCompanyId: installerOf(world) };
      const { entry, ...about } = await recordEntry(stack, world, {
        case: 'payout',
        value: { ...payout, amount: TOTAL },
      });
      return { ...about, data: { ...entry, ...payout, amount: TOTAL_TOLD } };
    },
  },
  'journal.adjustment_recorded': {
    'the platform': async (stack, world) => {
      const { entry, ...about } = await recordEntry(
        stack,
        world,
        {
          case: 'adjustment',
          value: { reasonCode: 'WRITE_OFF', amount: { amountMinor: '-15000', currency: 'EUR' } },
        },
        null,
      );
      return {
        ...about,
        data: {
          ...entry,
          adjustsEntryId: null,
          reasonCode: 'WRITE_OFF',
          amount: { amountMinor: -15_000, currency: 'EUR' },
        },
      };
    },
  },
};

const TIMES_TOLD = {
  startsAt: STARTS.toISOString(),
  endsAt: ENDS.toISOString(),
  timeZone: 'America/Chicago',
};

async function bookAppointment(stack: TestStack, world: EventWorld) {
  const body = {
    leadId: world.leadId,
    startsAt: STARTS.toISOString(),
    endsAt: ENDS.toISOString(),
    notes: 'Gate code 4711',
  };
  const answer = await call(stack.baseUrl, '/inbound/appointments', {
    method: 'POST',
    headers: { 'x-api-key': world.keys.general },
    body: { ...body, idempotencyKey: newId('evt') },
  });
  return { appointmentId: appointmentBooked.parse(answer.json).appointmentId, body };
}
