import { randomBytes, randomUUID } from 'node:crypto';
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import {
  type JobService,
  JobStatus,
  ScheduleStatus,
} from '@partner/proto-contracts/gen/partner/jobs/v1/job_service_pb';
import {
  AppointmentScheduledSchema,
  DepositPaidSchema,
  DepositRefundedSchema,
  DocumentCategory,
  InvoiceIssuedSchema,
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
  JournalEntryRecordedSchema,
  ProjectCompletedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  BLOCKER_CODES,
  installerJob,
  type InstallerJob,
  type JobStatusName,
} from '@partner/proto-contracts/public-api/installer-job';
import {
  JOB_STATUS_MOVES,
  type ReportableStatus,
} from '@partner/proto-contracts/public-api/job-status-moves';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import type { SandboxCompany } from './sandbox-companies.js';

const HOUR_MS = 3_600_000;
/** So many moves in a row a sale waits for what it has told to show, before it is given up. */
const PATIENCE = 100;
/** The installer's usual next step. */
const FORWARD: Readonly<Partial<Record<JobStatusName, ReportableStatus>>> = {
  ASSIGNED: 'ACKNOWLEDGED',
  ACKNOWLEDGED: 'EN_ROUTE',
  EN_ROUTE: 'ON_SITE',
  ON_SITE: 'IN_PROGRESS',
  IN_PROGRESS: 'COMPLETE',
};

/** Where a sale plays. */
export interface SimulatedWorld {
  readonly sellers: readonly SandboxCompany[];
  readonly installers: readonly SandboxCompany[];
  /** Leads that appointments are made with, by selling company. */
  readonly leadIdsOf: (sellingCompanyId: string) => readonly string[];
  /** Tells the platform's side of the story; resolves once the broker has taken the message. */
  readonly tell: <Desc extends DescMessage>(schema: Desc, content: MessageInitShape<Desc>) => Promise<void>;
  /** The installers' side. */
  readonly jobs: Pick<
    Client<typeof JobService>,
    'getJob' | 'recordStatusEvent' | 'setSchedule' | 'replaceAssignments'
  >;
  /** From 0 to 1, less than 1: what decides. */
  readonly random: () => number;
  readonly clock: () => Date;
}

/**
 * Plays one sale of the sandbox from its project to the end, one move each time that it is asked on, and names the move. It
 * knows the versions of all that it tells of, since it has made it. What it has told of a job it waits for before it goes on,
 * so that no message of its own contradicts another one, however late they take effect; an installer's write that is refused is
 * tried anew from what the job has become. Ends when the project is completed, cancelled or given up.
 */
export async function* simulatedSale(world: SimulatedWorld): AsyncGenerator<string, void, undefined> {
  const { tell, jobs, random } = world;
  const pick = <T>(from: readonly T[]): T => {
    const picked = from[Math.floor(random() * from.length)];
    invariant(picked !== undefined, 'there is something to pick from');
    return picked;
  };
  const chance = (share: number) => random() < share;
  const now = (): Timestamp => timestampFromDate(world.clock());
  const inHours = (hours: number) => timestampFromDate(new Date(world.clock().getTime() + hours * HOUR_MS));
  const usd = (amountMinor: number) => ({ amountMinor: String(Math.round(amountMinor)), currency: 'USD' });

  const seller = pick(world.sellers);
  const projectId = newId('prj');
  const price = 800_000 + Math.floor(random() * 2_000_000);
  const versions = new Map<string, number>();
  /** The next version of a thing. */
  const next = (id: string): number => {
    const version = (versions.get(id) ?? 0) + 1;
    versions.set(id, version);
    return version;
  };

  yield* toldProject();
  const customerAccepts = yield* toldQuote();
  if (!customerAccepts) return;
  const depositId = newId('dep');
  const deposit = usd(price / 10);
  await tell(DepositPaidSchema, {
    depositId,
    version: next(depositId),
    projectId,
    amount: deposit,
    occurredAt: now(),
  });
  yield 'deposit_paid';
  const depositEntryId = yield* entered({ case: 'deposit', value: { depositId, amount: deposit } });

  const job = yield* soldJob();
  const outcome = yield* installed(job);
  if (outcome === 'given_up') return;
  if (outcome === 'cancelled') {
    await tell(DepositRefundedSchema, {
      depositId,
      version: next(depositId),
      projectId,
      amount: deposit,
      occurredAt: now(),
    });
    yield 'deposit_refunded';
    yield* entered({
      case: 'adjustment',
      value: {
        adjustsEntryId: depositEntryId,
        reasonCode: 'DEPOSIT_REFUNDED',
        amount: usd(-price / 10),
      },
    });
    return;
  }
  yield* closed(job);

  async function* toldProject() {
    await tell(ProjectCreatedSchema, {
      projectId,
      version: next(projectId),
      sellingCompanyId: seller.id,
      occurredAt: now(),
    });
    yield 'project_created';
    yield* stage(undefined, 'LEAD');
    const leadIds = world.leadIdsOf(seller.id);
    if (leadIds.length === 0 || chance(0.5)) return;
    const appointment = { appointmentId: newId('appt'), leadId: pick(leadIds) };
    for (const hours of chance(0.5) ? [24, 48] : [24]) {
      await tell(AppointmentScheduledSchema, {
        ...appointment,
        version: next(appointment.appointmentId),
        startsAt: inHours(hours),
        endsAt: inHours(hours + 1),
        occurredAt: now(),
      });
      yield 'appointment_scheduled';
    }
  }

  async function* toldQuote(): AsyncGenerator<string, boolean, undefined> {
    const quoteId = newId('quo');
    const of = () => ({ quoteId, version: next(quoteId), projectId, occurredAt: now() });
    await tell(QuoteSentSchema, { ...of(), total: usd(price), validUntil: inHours(30 * 24) });
    yield 'quote_sent';
    await tell(QuoteViewedSchema, of());
    yield 'quote_viewed';
    if (chance(0.1)) {
      yield* stage('LEAD', 'LOST');
      return false;
    }
    await tell(QuoteAcceptedSchema, {
      ...of(),
      ...(chance(0.5) && { optionName: 'Comfort' }),
      total: usd(price),
    });
    yield 'quote_accepted';
    yield* stage('LEAD', 'SOLD');
    return true;
  }

  async function* stage(previousStage: string | undefined, name: string) {
    await tell(ProjectStageChangedSchema, {
      projectId,
      version: next(projectId),
      ...(previousStage !== undefined && { previousStage }),
      stage: name,
      occurredAt: now(),
    });
    yield 'stage_changed';
  }

  async function* entered(
    record: NonNullable<MessageInitShape<typeof JournalEntryRecordedSchema>['record']>,
  ): AsyncGenerator<string, string, undefined> {
    const entryId = newId('jrn');
    await tell(JournalEntryRecordedSchema, {
      entryId,
      companyId: seller.id,
      projectId,
      record,
      occurredAt: now(),
    });
    yield 'journal_entry_recorded';
    return entryId;
  }

  function scopeOf(scopeVersion: number) {
    return {
      packageName: 'Heat Pump Essential',
      systemType: 'HVAC',
      equipment: [{ name: 'Air-source heat pump', model: 'HP-36K', quantity: scopeVersion }],
      accessories: [{ name: 'Mounting kit', quantity: 1 }],
      supplierSources: [{ name: 'Central Supply' }],
      scopeVersion,
    };
  }

  async function* soldJob(): AsyncGenerator<string, SimulatedJob, undefined> {
    const jobId = newId('job');
    await tell(JobCreatedSchema, {
      jobId,
      version: next(jobId),
      sellingCompanyId: seller.id,
      projectId,
      workOrderNo: `WO-${jobId.slice(-6).toUpperCase()}`,
      customer: {
        name: pick(['Jordan Ellis', 'Maria Santos', 'Peter Novak', 'Aisha Khan']),
        phone: '+1 555 0142',
        line1: `${1 + Math.floor(random() * 9_999)} ${pick(['Maple Street', 'Oak Avenue', 'Cedar Lane'])}`,
        city: 'Boulder',
        state: 'CO',
        zip: '80302',
      },
      scope: scopeOf(1),
      occurredAt: now(),
    });
    yield 'job_created';
    const installer = pick(world.installers);
    await tell(JobAssignedSchema, {
      jobId,
      version: next(jobId),
      installerCompanyId: installer.id,
      occurredAt: now(),
    });
    yield 'job_assigned';
    yield* stage('SOLD', 'INSTALLATION');
    return { id: jobId, installer };
  }

  /** The job as its installer company sees it; undefined when it does not, or nobody can tell now. */
  async function seen({ id: jobId, installer }: SimulatedJob): Promise<InstallerJob | undefined> {
    try {
      const { resourceJson } = await jobs.getJob({ companyId: installer.id, jobId });
      const resource: unknown = JSON.parse(resourceJson ?? '');
      return installerJob.parse(resource);
    } catch (error) {
      serviceErrorFrom(error);
      return undefined;
    }
  }

  /** Waits until the job shows a newer version than before; false: given up. */
  async function* shown(job: SimulatedJob, before: number): AsyncGenerator<string, boolean, undefined> {
    for (let turn = 0; turn < PATIENCE; turn += 1) {
      const current = await seen(job);
      if (current !== undefined && current.version > before) return true;
      yield 'waited';
    }
    return false;
  }

  async function* installed(
    job: SimulatedJob,
  ): AsyncGenerator<string, 'complete' | 'cancelled' | 'given_up', undefined> {
    let refused = 0;
    if (!(yield* shown(job, 0))) return 'given_up';
    while (refused < PATIENCE) {
      const current = await seen(job);
      if (current === undefined) {
        refused += 1;
        yield 'waited';
        continue;
      }
      if (current.status === 'COMPLETE') return 'complete';
      // A partner who plays along may have done anything to it but this.
      if (current.status === 'CANCELLED') return 'given_up';
      // What is nearly done is left to the installer: no message can come after the end then.
      const isEarly = ['ASSIGNED', 'ACKNOWLEDGED', 'BLOCKED'].includes(current.status);
      if (isEarly && chance(0.03)) {
        await tell(JobCancelledSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
        yield 'job_cancelled';
        return 'cancelled';
      }
      if (isEarly && chance(0.04)) {
        yield* movedToAnother(job);
        if (!(yield* shown(job, 0))) return 'given_up';
        continue;
      }
      if (isEarly && chance(0.35)) {
        yield* changedBySeller(job, current);
        if (!(yield* shown(job, current.version))) return 'given_up';
        continue;
      }
      const move = await installerMove(job, current);
      if (move === 'refused') refused += 1;
      yield move;
    }
    return 'given_up';
  }

  async function* movedToAnother(job: SimulatedJob) {
    await tell(JobUnassignedSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
    yield 'job_unassigned';
    job.installer = pick(world.installers);
    await tell(JobAssignedSchema, {
      jobId: job.id,
      version: next(job.id),
      installerCompanyId: job.installer.id,
      occurredAt: now(),
    });
    yield 'job_assigned';
  }

  /** Something that changes what the installer sees. */
  async function* changedBySeller({ id: jobId }: SimulatedJob, current: InstallerJob) {
    const about = () => ({ jobId, version: next(jobId), occurredAt: now() });
    switch (pick(['document', 'readiness', 'schedule', 'scope'] as const)) {
      case 'document':
        await tell(JobDocumentAvailableSchema, {
          ...about(),
          documentId: newId('doc'),
          category: pick([DocumentCategory.SCOPE, DocumentCategory.PERMIT, DocumentCategory.MANUAL]),
          mime: 'application/pdf',
        });
        yield 'job_document_available';
        break;
      case 'readiness': {
        const told = versions.get(`${jobId} not ready`) === undefined;
        if (told) versions.set(`${jobId} not ready`, 1);
        else versions.delete(`${jobId} not ready`);
        await tell(JobReadinessChangedSchema, {
          ...about(),
          ready: !told,
          // One that no installer reports here, so that the projection changes.
          blockerCodes: told ? ['WEATHER'] : [],
        });
        yield 'job_readiness_changed';
        break;
      }
      case 'schedule': {
        // An hour of its own each time, so that the projection changes.
        const hours = 24 + (versions.get(jobId) ?? 0);
        await tell(JobScheduledSchema, {
          ...about(),
          status: pick([JobScheduleStatus.TENTATIVE, JobScheduleStatus.CONFIRMED]),
          startsAt: inHours(hours),
          endsAt: inHours(hours + 4),
          timeZone: 'America/Denver',
        });
        yield 'job_scheduled';
        break;
      }
      case 'scope':
        await tell(JobScopeChangedSchema, { ...about(), scope: scopeOf(current.scope.scopeVersion + 1) });
        yield 'job_scope_changed';
        break;
    }
  }

  async function installerMove(job: SimulatedJob, current: InstallerJob): Promise<string> {
    const write = {
      companyId: job.installer.id,
      jobId: job.id,
      idempotencyKey: { key: randomUUID(), operation: 'simulated', bodySha256: randomBytes(32) },
      expectedVersion: current.version,
    };
    try {
      const active = job.installer.technicians.filter((technician) => technician.active);
      if (current.technicianAssignments.length === 0 && active.length > 0 && chance(0.4)) {
        await jobs.replaceAssignments({ ...write, membershipIds: [pick(active).membershipId] });
        return 'technicians_assigned';
      }
      if (current.schedule.status !== 'CONFIRMED' && chance(0.3)) {
        await jobs.setSchedule({
          ...write,
          status: ScheduleStatus.CONFIRMED,
          startsAt: inHours(24),
          endsAt: inHours(28),
          timeZone: 'America/Denver',
        });
        return 'schedule_set';
      }
      const allowed = JOB_STATUS_MOVES[current.status];
      const usual = FORWARD[current.status] ?? pick(allowed.filter((status) => status !== 'BLOCKED'));
      const status = allowed.includes('BLOCKED') && chance(0.08) ? 'BLOCKED' : usual;
      await jobs.recordStatusEvent({
        ...write,
        status: JobStatus[status],
        occurredAt: now(),
        ...(status === 'BLOCKED' && {
          blockerCode: pick(BLOCKER_CODES.filter((code) => code !== 'WEATHER')),
        }),
      });
      return 'status_reported';
    } catch (error) {
      // Refused, or nobody knows: the next move begins with what has become of the job.
      serviceErrorFrom(error);
      return 'refused';
    }
  }

  async function* closed(job: SimulatedJob) {
    await tell(JobCompletionAcceptedSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
    yield 'job_completion_accepted';
    const invoiceId = newId('inv');
    const invoice = { invoiceId, invoiceNumber: `INV-1X${invoiceId.slice(-6).toUpperCase()}` };
    const rest = usd(price - price / 10);
    await tell(InvoiceIssuedSchema, {
      ...invoice,
      version: next(invoiceId),
      projectId,
      total: rest,
      dueAt: inHours(14 * 24),
      occurredAt: now(),
    });
    yield 'invoice_issued';
    yield* entered({ case: 'invoice', value: { ...invoice, amount: rest } });
    if (chance(0.3)) {
      const rebateId = newId('reb');
      let previousStatus: string | undefined;
      for (const status of ['SUBMITTED', chance(0.8) ? 'APPROVED' : 'REJECTED']) {
        await tell(RebateStatusChangedSchema, {
          rebateId,
          version: next(rebateId),
          projectId,
          programme: 'Clean Heat Rebate',
          ...(previousStatus !== undefined && { previousStatus }),
          status,
          occurredAt: now(),
        });
        yield 'rebate_status_changed';
        previousStatus = status;
      }
    }
    yield* stage('INSTALLATION', 'CLOSED');
    await tell(ProjectCompletedSchema, { projectId, version: next(projectId), occurredAt: now() });
    yield 'project_completed';
    yield* entered({
      case: 'payout',
      value: { payoutId: newId('pay'), payeeCompanyId: job.installer.id, amount: usd(price / 2) },
    });
  }
}

/** A job of a sale, and who has it now. */
interface SimulatedJob {
  readonly id: string;
  installer: SandboxCompany;
}
