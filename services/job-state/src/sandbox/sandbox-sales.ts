import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/public-api/versions';
import type { EventData, EventName } from '@partner/proto-contracts/public-api/webhook-events';
import { invariant } from '@partner/kernel/invariant';
import { renderEnvelope } from '../webhooks/events/render-envelope.js';
import { shownReadiness } from '../jobs/render-projection.js';
import { SANDBOX_START } from './sandbox-companies.js';
import { HOUR_MS, type SandboxJob } from './sandbox-jobs.js';
import { stableBytes, stableId } from './stable-id.js';

/** Older events than this, of about the last hundred days of the history, would not be kept for long. */
const EVENTS_FROM = new Date(SANDBOX_START.getTime() + 270 * 24 * HOUR_MS);

type SalesKind = 'project' | 'quote' | 'deposit' | 'invoice' | 'rebate' | 'journal_entry';

/** A project, a quote and so on of the sandbox, as far as the platform has told of it. */
export interface SandboxSalesRecord {
  readonly id: string;
  readonly kind: SalesKind;
  readonly companyId: string;
  readonly projectId: string;
  readonly version: number;
  readonly state: string;
}

/** A past event of the sandbox. */
export interface SandboxEvent {
  readonly id: string;
  readonly companyId: string;
  readonly name: EventName;
  readonly schemaVersion: number;
  readonly occurredAt: Date;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly body: Buffer;
}

/** An appointment of the sandbox. */
export interface SandboxAppointment {
  readonly id: string;
  readonly companyId: string;
  readonly leadId: string;
  readonly projectId: string;
  readonly startsAt: Date;
  readonly endsAt: Date;
  readonly createdAt: Date;
}

/** How the jobs of the sandbox were sold. */
export interface SandboxSales {
  readonly appointments: readonly SandboxAppointment[];
  readonly records: readonly SandboxSalesRecord[];
  /** In the order of their time. */
  readonly events: readonly SandboxEvent[];
}

/**
 * The sales behind the jobs of the sandbox, the same every time: each with its appointment, its quote, its deposit and what
 * followed, in the journals of the accounting companies too, and the events of the last hundred days of the history.
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

function salesOf(job: SandboxJob, index: number, accountingCompanyIds: readonly string[]): SandboxSales {
  const newest = job.versions.at(-1)?.job;
  invariant(newest, 'a job has a version');
  const { projectId, soldFrom } = job;
  const companyId = newest.sellingCompany.id;
  const label = String(index);
  const after = (hours: number) => new Date(soldFrom.getTime() + hours * HOUR_MS);
  const records = new Map<string, SandboxSalesRecord>();
  const events: SandboxEvent[] = [];

  /** The thing of a kind, at its next version. */
  function next(kind: SalesKind, id: string, state: string): number {
    const version = (records.get(id)?.version ?? 0) + 1;
    records.set(id, { id, kind, companyId, projectId, version, state });
    return version;
  }
  function tell<E extends EventName>(
    to: string,
    event: E,
    occurredAt: Date,
    resource: SandboxEvent['resource'],
    data: EventData<E>,
  ) {
    if (occurredAt < EVENTS_FROM) return;
    const id = stableId('evt', `${event} ${resource.id} ${resource.version} ${to}`, occurredAt);
    events.push({
      id,
      companyId: to,
      name: event,
      schemaVersion: CURRENT_SCHEMA_VERSION,
      occurredAt,
      resource,
      body: renderEnvelope({ eventId: id, event, occurredAt, resource, data }),
    });
  }
  function tellSeller<E extends EventName>(
    event: E,
    at: Date,
    thing: { readonly kind: SalesKind; readonly id: string; readonly state: string },
    data: EventData<E>,
  ) {
    const version = next(thing.kind, thing.id, thing.state);
    tell(companyId, event, at, { type: thing.kind, id: thing.id, version }, data);
  }
  function moveTo(stage: string, at: Date) {
    const previousStage = records.get(projectId)?.state ?? null;
    tellSeller(
      'project.stage_changed',
      at,
      { kind: 'project', id: projectId, state: stage },
      {
        projectId,
        previousStage,
        stage,
      },
    );
  }
  function enterInJournal<E extends EventName>(
    event: E,
    at: Date,
    dataOf: (entry: {
      readonly entryId: string;
      readonly companyId: string;
      readonly projectId: string;
      readonly recordedAt: string;
    }) => EventData<E>,
  ) {
    const id = stableId('jrn', `${label} ${event}`, at);
    next('journal_entry', id, 'RECORDED');
    const data = dataOf({ entryId: id, companyId, projectId, recordedAt: formatDateTime(at) });
    for (const accountant of accountingCompanyIds) {
      tell(accountant, event, at, { type: 'journal_entry', id, version: 1 }, data);
    }
  }

  const total = {
    amountMinor: 800_000 + stableBytes(`total ${label}`, 2).readUInt16BE() * 20,
    currency: 'USD',
  };
  const deposit = { amountMinor: Math.round(total.amountMinor / 10), currency: 'USD' };
  const [quoteId, depositId] = [stableId('quo', label, after(48)), stableId('dep', label, after(73))];

  moveTo('LEAD', soldFrom);
  const appointment: SandboxAppointment = {
    id: stableId('appt', label, after(1)),
    companyId,
    leadId: job.lead.id,
    projectId,
    startsAt: after(24),
    endsAt: after(25),
    createdAt: after(1),
  };
  tell(
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
  const quote = (state: string) => ({ kind: 'quote', id: quoteId, state }) as const;
  tellSeller('quote.sent', after(48), quote('SENT'), {
    quoteId,
    projectId,
    total,
    validUntil: formatDateTime(after(48 + 30 * 24)),
  });
  tellSeller('quote.viewed', after(52), quote('VIEWED'), {
    quoteId,
    projectId,
    viewedAt: formatDateTime(after(52)),
  });
  tellSeller('quote.accepted', after(72), quote('ACCEPTED'), {
    quoteId,
    projectId,
    optionName: null,
    total,
    acceptedAt: formatDateTime(after(72)),
  });
  moveTo('SOLD', after(72));
  tellSeller(
    'deposit.paid',
    after(73),
    { kind: 'deposit', id: depositId, state: 'PAID' },
    {
      depositId,
      projectId,
      amount: deposit,
      paidAt: formatDateTime(after(73)),
    },
  );
  enterInJournal('journal.deposit_recorded', after(73), (entry) => ({
    ...entry,
    depositId,
    amount: deposit,
  }));
  moveTo('INSTALLATION', after(97));
  for (const version of job.versions) tellInstaller(version);

  if (newest.status === 'COMPLETE') {
    const invoiceId = stableId('inv', label, after(120));
    const invoiceNumber = `INV-${20_000 + index}`;
    const amount = { amountMinor: total.amountMinor - deposit.amountMinor, currency: 'USD' };
    tellSeller(
      'invoice.issued',
      after(120),
      { kind: 'invoice', id: invoiceId, state: 'ISSUED' },
      {
        invoiceId,
        projectId,
        invoiceNumber,
        total: amount,
        issuedAt: formatDateTime(after(120)),
        dueAt: formatDateTime(after(120 + 14 * 24)),
      },
    );
    enterInJournal('journal.invoice_recorded', after(120), (entry) => ({
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
        tellSeller(
          'rebate.status_changed',
          after(hours),
          { kind: 'rebate', id: rebateId, state: status },
          {
            rebateId,
            projectId,
            programme,
            previousStatus,
            status,
          },
        );
        previousStatus = status;
      }
    }
    moveTo('CLOSED', after(144));
    tellSeller(
      'project.completed',
      after(144),
      { kind: 'project', id: projectId, state: 'COMPLETED' },
      {
        projectId,
        completedAt: formatDateTime(after(144)),
      },
    );
    enterInJournal('journal.payout_recorded', after(168), (entry) => ({
      ...entry,
      payoutId: stableId('pay', label, after(168)),
      payeeCompanyId: newest.installerCompanyId ?? companyId,
      amount: { amountMinor: Math.round(total.amountMinor / 2), currency: 'USD' },
    }));
  }
  if (newest.status === 'CANCELLED') {
    tellSeller(
      'deposit.refunded',
      after(120),
      { kind: 'deposit', id: depositId, state: 'REFUNDED' },
      {
        depositId,
        projectId,
        amount: deposit,
        refundedAt: formatDateTime(after(120)),
      },
    );
    enterInJournal('journal.adjustment_recorded', after(120), (entry) => ({
      ...entry,
      adjustsEntryId: stableId('jrn', `${label} journal.deposit_recorded`, after(73)),
      reasonCode: 'DEPOSIT_REFUNDED',
      amount: { amountMinor: -deposit.amountMinor, currency: 'USD' },
    }));
  }
  return { appointments: [appointment], records: [...records.values()], events };

  function tellInstaller({ job: at, previousStatus }: SandboxJob['versions'][number]) {
    const to = at.installerCompanyId;
    invariant(to, 'a job of the sandbox is assigned');
    const about = { type: 'install_job', id: at.id, version: at.version };
    const jobId = at.id;
    const { status, updatedAt } = at;
    if (previousStatus === undefined) {
      tell(to, 'install.job_assigned', updatedAt, about, { jobId, status });
      return;
    }
    if (status === 'CANCELLED') {
      tell(to, 'install.job_cancelled', updatedAt, about, { jobId, previousStatus });
    }
    tell(to, 'install.status_changed', updatedAt, about, {
      jobId,
      previousStatus,
      status,
      occurredAt: formatDateTime(updatedAt),
      note: null,
      blockerCode: at.blockerCode,
    });
    if (status === 'BLOCKED') {
      tell(to, 'install.readiness_changed', updatedAt, about, { jobId, ...shownReadiness(at) });
    }
  }
}
