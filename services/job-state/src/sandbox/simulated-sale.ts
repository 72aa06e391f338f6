import type { MessageInitShape } from '@bufbuild/protobuf';
import { JobCompletionAcceptedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
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
import { newId } from '@partner/kernel/process/ids';
import { beginSale, type SaleState, type SimulatedWorld, usd } from './sale-state.js';
import { createJob, simulateInstallation, type SimulatedJob } from './simulated-installation.js';

/**
 * Simulates one sale from its project to its end; each `next()` makes one move and yields its name. After publishing a change of
 * a job, the sale waits until the installer sees it. Late messages therefore never contradict each other. After a refused write
 * the installer reads the job again. The sale ends when the project is completed, cancelled or given up.
 */
export async function* simulatedSale(world: SimulatedWorld): AsyncGenerator<string, void, undefined> {
  const sale = beginSale(world);
  const { projectId, price, next, publish } = sale;

  yield* publishProject(sale);
  const customerAccepts = yield* publishQuote(sale);
  if (!customerAccepts) return;
  const depositId = newId('dep');
  const amount = usd(price / 10);
  yield* publish('deposit_paid', DepositPaidSchema, { depositId, ...next(depositId), projectId, amount });
  const paid = { case: 'deposit', value: { depositId, amount } } as const;
  const depositEntryId = yield* publishJournalEntry(sale, paid);

  const job = yield* createJob(sale);
  yield* publishStage(sale, 'SOLD', 'INSTALLATION');
  const outcome = yield* simulateInstallation(sale, job);
  if (outcome === 'given_up') return;
  if (outcome === 'complete') {
    yield* closeSale(sale, job);
    return;
  }
  const refund = { depositId, ...next(depositId), projectId, amount };
  yield* publish('deposit_refunded', DepositRefundedSchema, refund);
  yield* publishJournalEntry(sale, {
    case: 'adjustment',
    value: {
      adjustsEntryId: depositEntryId,
      reasonCode: 'DEPOSIT_REFUNDED',
      amount: usd(-price / 10),
    },
  });
}

async function* publishProject(sale: SaleState) {
  const { world, seller, projectId, next, publish, pick, chance, inHours } = sale;
  const project = { projectId, ...next(projectId), sellingCompanyId: seller.id };
  yield* publish('project_created', ProjectCreatedSchema, project);
  yield* publishStage(sale, undefined, 'LEAD');
  const leadIds = world.leadIdsOf(seller.id);
  if (leadIds.length === 0 || chance(0.5)) return;
  const appointmentId = newId('appt');
  const leadId = pick(leadIds);
  for (const hours of chance(0.5) ? [24, 48] : [24]) {
    yield* publish('appointment_scheduled', AppointmentScheduledSchema, {
      ...{ appointmentId, leadId, ...next(appointmentId) },
      startsAt: inHours(hours),
      endsAt: inHours(hours + 1),
    });
  }
}

/** Returns true if the customer accepts the quote. */
async function* publishQuote(sale: SaleState): AsyncGenerator<string, boolean, undefined> {
  const { projectId, price, next, publish, chance, inHours } = sale;
  const quoteId = newId('quo');
  const of = () => ({ quoteId, ...next(quoteId), projectId });
  const total = usd(price);
  yield* publish('quote_sent', QuoteSentSchema, { ...of(), total, validUntil: inHours(30 * 24) });
  yield* publish('quote_viewed', QuoteViewedSchema, of());
  if (chance(0.1)) {
    yield* publishStage(sale, 'LEAD', 'LOST');
    return false;
  }
  const option = chance(0.5) && { optionName: 'Comfort' };
  yield* publish('quote_accepted', QuoteAcceptedSchema, { ...of(), ...option, total });
  yield* publishStage(sale, 'LEAD', 'SOLD');
  return true;
}

function publishStage(sale: SaleState, previousStage: string | undefined, stage: string) {
  const { projectId, next, publish } = sale;
  return publish('stage_changed', ProjectStageChangedSchema, {
    ...{ projectId, ...next(projectId), stage },
    ...(previousStage !== undefined && { previousStage }),
  });
}

/** Publishes an entry of the seller's journal; returns its id. */
async function* publishJournalEntry(
  { seller, projectId, now, publish }: SaleState,
  record: NonNullable<MessageInitShape<typeof JournalEntryRecordedSchema>['record']>,
): AsyncGenerator<string, string, undefined> {
  const entryId = newId('jrn');
  const entry = { entryId, companyId: seller.id, projectId, record, occurredAt: now() };
  yield* publish('journal_entry_recorded', JournalEntryRecordedSchema, entry);
  return entryId;
}

async function* closeSale(sale: SaleState, job: SimulatedJob) {
  const { projectId, price, next, publish, chance, inHours } = sale;
  yield* publish('job_completion_accepted', JobCompletionAcceptedSchema, { jobId: job.id, ...next(job.id) });
  const invoiceId = newId('inv');
  const invoice = { invoiceId, invoiceNumber: `INV-1X${invoiceId.slice(-6).toUpperCase()}` };
  const rest = usd(price - price / 10);
  yield* publish('invoice_issued', InvoiceIssuedSchema, {
    ...{ ...invoice, ...next(invoiceId), projectId, total: rest },
    dueAt: inHours(14 * 24),
  });
  yield* publishJournalEntry(sale, { case: 'invoice', value: { ...invoice, amount: rest } });
  if (chance(0.3)) {
    const rebateId = newId('reb');
    let previousStatus: string | undefined;
    for (const status of ['SUBMITTED', chance(0.8) ? 'APPROVED' : 'REJECTED']) {
      yield* publish('rebate_status_changed', RebateStatusChangedSchema, {
        ...{ rebateId, ...next(rebateId), projectId, programme: 'Clean Heat Rebate', status },
        ...(previousStatus !== undefined && { previousStatus }),
      });
      previousStatus = status;
    }
  }
  yield* publishStage(sale, 'INSTALLATION', 'CLOSED');
  yield* publish('project_completed', ProjectCompletedSchema, { projectId, ...next(projectId) });
  yield* publishJournalEntry(sale, {
    case: 'payout',
    value: { payoutId: newId('pay'), payeeCompanyId: job.installer.id, amount: usd(price / 2) },
  });
}
