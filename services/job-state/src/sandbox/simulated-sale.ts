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
  const { publish } = world;
  const { projectId, price, next, now } = sale;

  yield* publishProject(sale);
  const customerAccepts = yield* publishQuote(sale);
  if (!customerAccepts) return;
  const depositId = newId('dep');
  const deposit = usd(price / 10);
  await publish(DepositPaidSchema, {
    depositId,
    version: next(depositId),
    projectId,
    amount: deposit,
    occurredAt: now(),
  });
  yield 'deposit_paid';
  const depositEntryId = yield* publishJournalEntry(sale, {
    case: 'deposit',
    value: { depositId, amount: deposit },
  });

  const job = yield* createJob(sale);
  yield* publishStage(sale, 'SOLD', 'INSTALLATION');
  const outcome = yield* simulateInstallation(sale, job);
  if (outcome === 'given_up') return;
  if (outcome === 'cancelled') {
    await publish(DepositRefundedSchema, {
      depositId,
      version: next(depositId),
      projectId,
      amount: deposit,
      occurredAt: now(),
    });
    yield 'deposit_refunded';
    yield* publishJournalEntry(sale, {
      case: 'adjustment',
      value: {
        adjustsEntryId: depositEntryId,
        reasonCode: 'DEPOSIT_REFUNDED',
        amount: usd(-price / 10),
      },
    });
    return;
  }
  yield* closeSale(sale, job);
}

async function* publishProject(sale: SaleState) {
  const { world, seller, projectId, next, pick, chance, now, inHours } = sale;
  await world.publish(ProjectCreatedSchema, {
    projectId,
    version: next(projectId),
    sellingCompanyId: seller.id,
    occurredAt: now(),
  });
  yield 'project_created';
  yield* publishStage(sale, undefined, 'LEAD');
  const leadIds = world.leadIdsOf(seller.id);
  if (leadIds.length === 0 || chance(0.5)) return;
  const appointment = { appointmentId: newId('appt'), leadId: pick(leadIds) };
  for (const hours of chance(0.5) ? [24, 48] : [24]) {
    await world.publish(AppointmentScheduledSchema, {
      ...appointment,
      version: next(appointment.appointmentId),
      startsAt: inHours(hours),
      endsAt: inHours(hours + 1),
      occurredAt: now(),
    });
    yield 'appointment_scheduled';
  }
}

/** Returns true if the customer accepts the quote. */
async function* publishQuote(sale: SaleState): AsyncGenerator<string, boolean, undefined> {
  const { world, projectId, price, next, chance, now, inHours } = sale;
  const quoteId = newId('quo');
  const of = () => ({ quoteId, version: next(quoteId), projectId, occurredAt: now() });
  await world.publish(QuoteSentSchema, { ...of(), total: usd(price), validUntil: inHours(30 * 24) });
  yield 'quote_sent';
  await world.publish(QuoteViewedSchema, of());
  yield 'quote_viewed';
  if (chance(0.1)) {
    yield* publishStage(sale, 'LEAD', 'LOST');
    return false;
  }
  await world.publish(QuoteAcceptedSchema, {
    ...of(),
    ...(chance(0.5) && { optionName: 'Comfort' }),
    total: usd(price),
  });
  yield 'quote_accepted';
  yield* publishStage(sale, 'LEAD', 'SOLD');
  return true;
}

async function* publishStage(sale: SaleState, previousStage: string | undefined, name: string) {
  const { world, projectId, next, now } = sale;
  await world.publish(ProjectStageChangedSchema, {
    projectId,
    version: next(projectId),
    ...(previousStage !== undefined && { previousStage }),
    stage: name,
    occurredAt: now(),
  });
  yield 'stage_changed';
}

/** Publishes an entry of the seller's journal; returns its id. */
async function* publishJournalEntry(
  { world, seller, projectId, now }: SaleState,
  record: NonNullable<MessageInitShape<typeof JournalEntryRecordedSchema>['record']>,
): AsyncGenerator<string, string, undefined> {
  const entryId = newId('jrn');
  await world.publish(JournalEntryRecordedSchema, {
    entryId,
    companyId: seller.id,
    projectId,
    record,
    occurredAt: now(),
  });
  yield 'journal_entry_recorded';
  return entryId;
}

async function* closeSale(sale: SaleState, job: SimulatedJob) {
  const { world, projectId, price, next, chance, now, inHours } = sale;
  await world.publish(JobCompletionAcceptedSchema, {
    jobId: job.id,
    version: next(job.id),
    occurredAt: now(),
  });
  yield 'job_completion_accepted';
  const invoiceId = newId('inv');
  const invoice = { invoiceId, invoiceNumber: `INV-1X${invoiceId.slice(-6).toUpperCase()}` };
  const rest = usd(price - price / 10);
  await world.publish(InvoiceIssuedSchema, {
    ...invoice,
    version: next(invoiceId),
    projectId,
    total: rest,
    dueAt: inHours(14 * 24),
    occurredAt: now(),
  });
  yield 'invoice_issued';
  yield* publishJournalEntry(sale, { case: 'invoice', value: { ...invoice, amount: rest } });
  if (chance(0.3)) {
    const rebateId = newId('reb');
    let previousStatus: string | undefined;
    for (const status of ['SUBMITTED', chance(0.8) ? 'APPROVED' : 'REJECTED']) {
      await world.publish(RebateStatusChangedSchema, {
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
  yield* publishStage(sale, 'INSTALLATION', 'CLOSED');
  await world.publish(ProjectCompletedSchema, { projectId, version: next(projectId), occurredAt: now() });
  yield 'project_completed';
  yield* publishJournalEntry(sale, {
    case: 'payout',
    value: { payoutId: newId('pay'), payeeCompanyId: job.installer.id, amount: usd(price / 2) },
  });
}
