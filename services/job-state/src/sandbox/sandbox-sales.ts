import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import { type EventName, eventGroup } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { invariant } from '@partner/kernel/process/invariant';
import { changedFields } from '../jobs/changed-fields.js';
import { projectionOf, shownReadiness } from '../jobs/render-projection.js';
import { renderEnvelope } from '../webhooks/events/render-envelope.js';
import { SANDBOX_START } from './sandbox-companies.js';
import { HOUR_MS, type SandboxJob, type SandboxVersion } from './sandbox-jobs.js';
import { stableBytes, stableId } from './stable-id.js';

/** The history emits events of its last hundred days only; retention would soon delete older ones. */
const EVENTS_FROM = new Date(SANDBOX_START.getTime() + 270 * 24 * HOUR_MS);

/** A sales record of the sandbox at the last version that the platform published. */
interface SandboxSalesRecord {
  readonly id: string;
  readonly kind: string;
  readonly companyId: string;
  readonly projectId: string;
  readonly version: number;
  readonly state: string;
}

interface SandboxEvent {
  readonly id: string;
  readonly companyId: string;
  readonly name: EventName;
  readonly schemaVersion: number;
  readonly occurredAt: Date;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly body: Buffer;
}

/**
 * The sales behind the sandbox's jobs; deterministic. Each sale has its appointment, quote, deposit, later steps and journal
 * entries. Only the last hundred days of the history have events, which are ordered by `occurredAt`.
 */
export function sandboxSales(jobs: readonly SandboxJob[], accountingCompanyIds: readonly string[]) {
  const sales = jobs.map((job, index) => {
    const sale = beginSale(job, index, accountingCompanyIds);
    const appointment = sell(sale);
    for (const [index, version] of job.versions.entries()) install(sale, version, job.versions[index - 1]);
    if (sale.newest.status === 'COMPLETE') close(sale);
    if (sale.newest.status === 'CANCELLED') refund(sale);
    return { appointment, records: [...sale.records.values()], events: sale.events };
  });
  return {
    appointments: sales.map(({ appointment }) => appointment),
    records: sales.flatMap(({ records }) => records),
    events: sales
      .flatMap(({ events }) => events)
      .sort((a, b) => a.occurredAt.getTime() - b.occurredAt.getTime() || (a.id < b.id ? -1 : 1)),
  };
}

type Sale = ReturnType<typeof beginSale>;

/** One sale behind a job: its facts, and what collects its records and events. Times are hours since the lead was created. */
function beginSale(job: SandboxJob, index: number, accountingCompanyIds: readonly string[]) {
  const newest = job.versions.at(-1)?.job;
  invariant(newest, 'a job has a version');
  const { projectId } = job;
  const ofProject = { projectId, leadId: job.lead.id };
  const companyId = newest.sellingCompany.id;
  const label = String(index);
  const after = (hours: number) => new Date(job.soldFrom.getTime() + hours * HOUR_MS);
  const total = usd(800_000 + stableBytes(`total ${label}`, 2).readUInt16BE() * 20);
  const records = new Map<string, SandboxSalesRecord>();
  const events: SandboxEvent[] = [];

  /** Stores the record's new state; returns its next version. */
  function next(kind: string, id: string, state: string): number {
    const version = (records.get(id)?.version ?? 0) + 1;
    records.set(id, { id, kind, companyId, projectId, version, state });
    return version;
  }
  /** Adds an event for a company, unless it is older than `EVENTS_FROM`. */
  function emit<E extends EventName>(
    to: string,
    name: E,
    occurredAt: Date,
    resource: SandboxEvent['resource'],
    data: EventData<E>,
    changed?: readonly string[],
  ) {
    if (occurredAt < EVENTS_FROM) return;
    const id = stableId('evt', `${name} ${resource.id} ${resource.version} ${to}`, occurredAt);
    const body = renderEnvelope({
      ...{ eventId: id, event: name, occurredAt, resource, data },
      ...(changed !== undefined && { changed }),
    });
    events.push({
      ...{ id, companyId: to, name, schemaVersion: CURRENT_SCHEMA_VERSION, occurredAt, resource, body },
    });
  }
  /** Moves a record to its next version and adds the seller's event for it. */
  function publish<E extends EventName>(
    event: E,
    hours: number,
    id: string,
    state: string,
    data: EventData<E>,
  ) {
    const type = eventGroup(event);
    emit(companyId, event, after(hours), { type, id, version: next(type, id, state) }, data);
  }
  return {
    ...{ job, newest, index, label, total, ofProject, after, records, events, emit, publish },
    deposit: usd(Math.round(total.amountMinor / 10)),
    depositId: stableId('dep', label, after(73)),
    moveTo(stage: string, hours: number) {
      const previousStage = records.get(projectId)?.state ?? null;
      publish('project.stage_changed', hours, projectId, stage, { ...ofProject, previousStage, stage });
    },
    /** Adds a journal entry and its event for each accounting company. */
    enter<E extends EventName>(
      event: E,
      hours: number,
      dataOf: (entry: {
        readonly entryId: string;
        readonly companyId: string;
        readonly projectId: string;
        readonly recordedAt: string;
      }) => EventData<E>,
    ) {
      const id = stableId('jrn', `${label} ${event}`, after(hours));
      const version = next('journal_entry', id, 'RECORDED');
      const data = dataOf({ entryId: id, companyId, projectId, recordedAt: formatDateTime(after(hours)) });
      for (const accountant of accountingCompanyIds) {
        emit(accountant, event, after(hours), { type: 'journal_entry', id, version }, data);
      }
    },
  };
}

function usd(amountMinor: number) {
  return { amountMinor, currency: 'USD' };
}

/** From the lead to the deposit. Returns the appointment. */
function sell({ newest, label, total, deposit, depositId, ofProject, after, ...sale }: Sale) {
  sale.moveTo('LEAD', 0);
  const id = stableId('appt', label, after(1));
  const companyId = newest.sellingCompany.id;
  sale.emit(
    companyId,
    'appointment.booked',
    after(1),
    { type: 'appointment', id, version: 1 },
    {
      ...{ appointmentId: id, ...ofProject, notes: null },
      startsAt: formatDateTime(after(24)),
      endsAt: formatDateTime(after(25)),
    },
  );
  const quoteId = stableId('quo', label, after(48));
  const quote = { quoteId, ...ofProject };
  const validUntil = formatDateTime(after(48 + 30 * 24));
  sale.publish('quote.sent', 48, quoteId, 'SENT', { ...quote, total, validUntil });
  sale.publish('quote.viewed', 52, quoteId, 'VIEWED', { ...quote, viewedAt: formatDateTime(after(52)) });
  const acceptedAt = formatDateTime(after(72));
  sale.publish('quote.accepted', 72, quoteId, 'ACCEPTED', { ...quote, optionName: null, total, acceptedAt });
  sale.moveTo('SOLD', 72);
  const paid = { depositId, amount: deposit };
  sale.publish('deposit.paid', 73, depositId, 'PAID', {
    ...{ ...paid, ...ofProject, paidAt: formatDateTime(after(73)) },
  });
  sale.enter('journal.deposit_recorded', 73, (entry) => ({ ...entry, ...paid }));
  sale.moveTo('INSTALLATION', 97);
  return { id, companyId, ...ofProject, startsAt: after(24), endsAt: after(25), createdAt: after(1) };
}

function install({ emit }: Sale, { job: at, previousStatus }: SandboxVersion, before?: SandboxVersion): void {
  const to = at.installerCompanyId;
  invariant(to, 'a job of the sandbox is assigned');
  const about = { type: 'install_job', id: at.id, version: at.version };
  const jobId = at.id;
  const { status, updatedAt, blockerCode } = at;
  if (previousStatus === undefined || before === undefined) {
    emit(to, 'install.job_assigned', updatedAt, about, { jobId, status });
    return;
  }
  const changed = changedFields(projectionOf(before.job), projectionOf(at));
  if (status === 'CANCELLED') {
    emit(to, 'install.job_cancelled', updatedAt, about, { jobId, previousStatus }, changed);
  }
  const change = { previousStatus, status, occurredAt: formatDateTime(updatedAt) };
  emit(
    to,
    'install.status_changed',
    updatedAt,
    about,
    { jobId, ...change, note: null, blockerCode },
    changed,
  );
  if (status === 'BLOCKED') {
    emit(to, 'install.readiness_changed', updatedAt, about, { jobId, ...shownReadiness(at) }, changed);
  }
}

/** What follows a complete job: invoice, rebate (every fourth sale), end of the project and payout. */
function close({ newest, index, label, total, deposit, ofProject, after, ...sale }: Sale): void {
  const { projectId } = ofProject;
  const invoiceId = stableId('inv', label, after(120));
  const invoice = { invoiceId, invoiceNumber: `INV-${20_000 + index}` };
  const amount = usd(total.amountMinor - deposit.amountMinor);
  sale.publish('invoice.issued', 120, invoiceId, 'ISSUED', {
    ...{ ...invoice, ...ofProject, total: amount },
    issuedAt: formatDateTime(after(120)),
    dueAt: formatDateTime(after(120 + 14 * 24)),
  });
  sale.enter('journal.invoice_recorded', 120, (entry) => ({ ...entry, ...invoice, amount }));
  if (index % 4 === 0) {
    const rebateId = stableId('reb', label, after(121));
    const rebate = { rebateId, ...ofProject, programme: 'Clean Heat Rebate' };
    for (const [hours, previousStatus, status] of [
      [121, null, 'SUBMITTED'],
      [160, 'SUBMITTED', 'APPROVED'],
    ] as const) {
      sale.publish('rebate.status_changed', hours, rebateId, status, { ...rebate, previousStatus, status });
    }
  }
  sale.moveTo('CLOSED', 144);
  const completedAt = formatDateTime(after(144));
  sale.publish('project.completed', 144, projectId, 'COMPLETED', { ...ofProject, completedAt });
  sale.enter('journal.payout_recorded', 168, (entry) => ({
    ...entry,
    payoutId: stableId('pay', label, after(168)),
    payeeCompanyId: newest.installerCompanyId ?? newest.sellingCompany.id,
    amount: usd(Math.round(total.amountMinor / 2)),
  }));
}

function refund({ label, deposit, depositId, ofProject, after, ...sale }: Sale): void {
  const refundedAt = formatDateTime(after(120));
  sale.publish('deposit.refunded', 120, depositId, 'REFUNDED', {
    ...{ depositId, ...ofProject, amount: deposit, refundedAt },
  });
  sale.enter('journal.adjustment_recorded', 120, (entry) => ({
    ...entry,
    adjustsEntryId: stableId('jrn', `${label} journal.deposit_recorded`, after(73)),
    reasonCode: 'DEPOSIT_REFUNDED',
    amount: usd(-deposit.amountMinor),
  }));
}
