import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { invariant } from '@partner/kernel/process/invariant';
import type { JobRecord } from '../jobs/job-record.js';
import { shownReadiness } from '../jobs/render-projection.js';
import {
  createSaleHistory,
  type SaleHistory,
  type SandboxEvent,
  type SandboxSalesRecord,
} from './sale-history.js';
import { HOUR_MS, type SandboxJob, type SandboxVersion } from './sandbox-jobs.js';
import { stableBytes, stableId } from './stable-id.js';

/** An appointment of the sandbox. */
interface SandboxAppointment {
  readonly id: string;
  readonly companyId: string;
  readonly leadId: string;
  readonly projectId: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly createdAt: Date;
}

/** Sales data behind the sandbox's jobs. */
export interface SandboxSales {
  readonly appointments: readonly SandboxAppointment[];
  readonly records: readonly SandboxSalesRecord[];
  /** Ordered by `occurredAt`. */
  readonly events: readonly SandboxEvent[];
}

/**
 * The sales behind the sandbox's jobs; deterministic. Each sale has its appointment, quote, deposit, later steps and journal
 * entries. Only the last hundred days of the history have events.
 */
export function sandboxSales(
  jobs: readonly SandboxJob[],
  accountingCompanyIds: readonly string[],
): SandboxSales {
  const sales = jobs.map((job, index) => salesOf(job, index, accountingCompanyIds));
  return {
    appointments: sales.flatMap(({ appointments }) => appointments),
    records: sales.flatMap(({ records }) => records),
    events: sales
      .flatMap(({ events }) => events)
      .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || (a.id < b.id ? -1 : 1)),
  };
}

/** One sale behind a job of the sandbox. */
interface Sale {
  readonly job: SandboxJob;
  readonly newest: JobRecord;
  /** The number of the job. */
  readonly index: number;
  readonly label: string;
  readonly total: ReturnType<typeof usd>;
  readonly deposit: ReturnType<typeof usd>;
  readonly depositId: string;
  /** What the events of the project have in common. */
  readonly ofProject: { readonly projectId: string; readonly leadId: string };
  /** Returns the instant this many hours after the lead was created. */
  readonly after: (hours: number) => Date;
  readonly history: SaleHistory;
}

function salesOf(job: SandboxJob, index: number, accountingCompanyIds: readonly string[]): SandboxSales {
  const newest = job.versions.at(-1)?.job;
  invariant(newest, 'a job has a version');
  const label = String(index);
  const after = (hours: number) => new Date(job.soldFrom.getTime() + hours * HOUR_MS);
  const total = usd(800_000 + stableBytes(`total ${label}`, 2).readUInt16BE() * 20);
  const history = createSaleHistory({
    companyId: newest.sellingCompany.id,
    projectId: job.projectId,
    leadId: job.lead.id,
    label,
    accountingCompanyIds,
  });
  const sale: Sale = {
    job,
    newest,
    index,
    label,
    total,
    deposit: usd(Math.round(total.amountMinor / 10)),
    depositId: stableId('dep', label, after(73)),
    ofProject: { projectId: job.projectId, leadId: job.lead.id },
    after,
    history,
  };

  history.moveTo('LEAD', job.soldFrom);
  const appointment = addAppointment(sale);
  addQuote(sale);
  history.moveTo('SOLD', after(72));
  addDeposit(sale);
  history.moveTo('INSTALLATION', after(97));
  for (const version of job.versions) addInstallation(history, version);
  if (newest.status === 'COMPLETE') addCompletion(sale);
  if (newest.status === 'CANCELLED') addRefund(sale);
  return { appointments: [appointment], records: history.records(), events: history.events };
}

function usd(amountMinor: number) {
  return { amountMinor, currency: 'USD' };
}

function addAppointment({ job, newest, label, after, history }: Sale): SandboxAppointment {
  const companyId = newest.sellingCompany.id;
  const { projectId } = job;
  const appointment: SandboxAppointment = {
    id: stableId('appt', label, after(1)),
    companyId,
    leadId: job.lead.id,
    projectId,
    startsAt: after(24),
    endsAt: after(25),
    createdAt: after(1),
  };
  history.emit(
    companyId,
    'appointment.booked',
    after(1),
    { type: 'appointment', id: appointment.id, version: 1 },
    {
      appointmentId: appointment.id,
      leadId: appointment.leadId,
      projectId,
      startsAt: formatDateTime(appointment.startsAt),
      endsAt: formatDateTime(appointment.endsAt),
      notes: null,
    },
  );
  return appointment;
}

function addQuote({ label, total, ofProject, after, history }: Sale): void {
  const quoteId = stableId('quo', label, after(48));
  const quote = (state: string) => ({ kind: 'quote', id: quoteId, state }) as const;
  history.emitToSeller('quote.sent', after(48), quote('SENT'), {
    quoteId,
    ...ofProject,
    total,
    validUntil: formatDateTime(after(48 + 30 * 24)),
  });
  history.emitToSeller('quote.viewed', after(52), quote('VIEWED'), {
    quoteId,
    ...ofProject,
    viewedAt: formatDateTime(after(52)),
  });
  history.emitToSeller('quote.accepted', after(72), quote('ACCEPTED'), {
    quoteId,
    ...ofProject,
    optionName: null,
    total,
    acceptedAt: formatDateTime(after(72)),
  });
}

function addDeposit({ depositId, deposit, ofProject, after, history }: Sale): void {
  history.emitToSeller(
    'deposit.paid',
    after(73),
    { kind: 'deposit', id: depositId, state: 'PAID' },
    {
      depositId,
      ...ofProject,
      amount: deposit,
      paidAt: formatDateTime(after(73)),
    },
  );
  history.enterInJournal('journal.deposit_recorded', after(73), (entry) => ({
    ...entry,
    depositId,
    amount: deposit,
  }));
}

/** Events of the installation, one or more for each version of the job. */
function addInstallation(history: SaleHistory, { job: at, previousStatus }: SandboxVersion): void {
  const to = at.installerCompanyId;
  invariant(to, 'a job of the sandbox is assigned');
  const about = { type: 'install_job', id: at.id, version: at.version };
  const jobId = at.id;
  const { status, updatedAt } = at;
  if (previousStatus === undefined) {
    history.emit(to, 'install.job_assigned', updatedAt, about, { jobId, status });
    return;
  }
  if (status === 'CANCELLED') {
    history.emit(to, 'install.job_cancelled', updatedAt, about, { jobId, previousStatus });
  }
  history.emit(to, 'install.status_changed', updatedAt, about, {
    jobId,
    previousStatus,
    status,
    occurredAt: formatDateTime(updatedAt),
    note: null,
    blockerCode: at.blockerCode,
  });
  if (status === 'BLOCKED') {
    history.emit(to, 'install.readiness_changed', updatedAt, about, { jobId, ...shownReadiness(at) });
  }
}

/** Adds what follows a complete job: invoice, rebate (every fourth sale), end of the project and payout. */
function addCompletion({ newest, index, label, total, deposit, ofProject, after, history }: Sale): void {
  const { projectId } = ofProject;
  const invoiceId = stableId('inv', label, after(120));
  const invoiceNumber = `INV-${20_000 + index}`;
  const amount = usd(total.amountMinor - deposit.amountMinor);
  history.emitToSeller(
    'invoice.issued',
    after(120),
    { kind: 'invoice', id: invoiceId, state: 'ISSUED' },
    {
      invoiceId,
      ...ofProject,
      invoiceNumber,
      total: amount,
      issuedAt: formatDateTime(after(120)),
      dueAt: formatDateTime(after(120 + 14 * 24)),
    },
  );
  history.enterInJournal('journal.invoice_recorded', after(120), (entry) => ({
    ...entry,
    invoiceId,
    invoiceNumber,
    amount,
  }));
  if (index % 4 === 0) {
    const rebateId = stableId('reb', label, after(121));
    const programme = 'Clean Heat Rebate';
    let previousStatus: string | null = null;
    for (const [hours, status] of [
      [121, 'SUBMITTED'],
      [160, 'APPROVED'],
    ] as const) {
      history.emitToSeller(
        'rebate.status_changed',
        after(hours),
        { kind: 'rebate', id: rebateId, state: status },
        {
          rebateId,
          ...ofProject,
          programme,
          previousStatus,
          status,
        },
      );
      previousStatus = status;
    }
  }
  history.moveTo('CLOSED', after(144));
  history.emitToSeller(
    'project.completed',
    after(144),
    { kind: 'project', id: projectId, state: 'COMPLETED' },
    {
      ...ofProject,
      completedAt: formatDateTime(after(144)),
    },
  );
  history.enterInJournal('journal.payout_recorded', after(168), (entry) => ({
    ...entry,
    payoutId: stableId('pay', label, after(168)),
    payeeCompanyId: newest.installerCompanyId ?? newest.sellingCompany.id,
    amount: usd(Math.round(total.amountMinor / 2)),
  }));
}

function addRefund({ label, deposit, depositId, ofProject, after, history }: Sale): void {
  history.emitToSeller(
    'deposit.refunded',
    after(120),
    { kind: 'deposit', id: depositId, state: 'REFUNDED' },
    {
      depositId,
      ...ofProject,
      amount: deposit,
      refundedAt: formatDateTime(after(120)),
    },
  );
  history.enterInJournal('journal.adjustment_recorded', after(120), (entry) => ({
    ...entry,
    adjustsEntryId: stableId('jrn', `${label} journal.deposit_recorded`, after(73)),
    reasonCode: 'DEPOSIT_REFUNDED',
    amount: usd(-deposit.amountMinor),
  }));
}
