import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  AppointmentScheduledSchema,
  DepositPaidSchema,
  DepositRefundedSchema,
  InvoiceIssuedSchema,
  JobCompletionAcceptedSchema,
  JournalEntryRecordedSchema,
  ProjectCompletedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteAcceptedSchema,
  QuoteSentSchema,
  QuoteViewedSchema,
  RebateStatusChangedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { newId } from '@partner/kernel/ids';
import { beginSale, type SaleState, type SimulatedWorld, usd } from './sale-state.js';
import { installed, type SimulatedJob, soldJob } from './simulated-installation.js';

/**
 * Plays one sale of the sandbox from its project to the end, one move each time that it is asked on, and names the move. It
 * knows the versions of all that it tells of, since it has made it. What it has told of a job it waits for before it goes on,
 * so that no message of its own contradicts another one, however late they take effect; an installer's write that is refused is
 * tried anew from what the job has become. Ends when the project is completed, cancelled or given up.
 */
export async function* simulatedSale(world: SimulatedWorld): AsyncGenerator<string, void, undefined> {
  const sale = beginSale(world);
  const { tell } = world;
  const { projectId, price, next, now } = sale;

  yield* toldProject(sale);
  const customerAccepts = yield* toldQuote(sale);
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
  const depositEntryId = yield* entered(sale, { case: 'deposit', value: { depositId, amount: deposit } });

  const job = yield* soldJob(sale);
  yield* stage(sale, 'SOLD', 'INSTALLATION');
  const outcome = yield* installed(sale, job);
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
    yield* entered(sale, {
      case: 'adjustment',
      value: {
        adjustsEntryId: depositEntryId,
        reasonCode: 'DEPOSIT_REFUNDED',
        amount: usd(-price / 10),
      },
    });
    return;
  }
  yield* closed(sale, job);
}

async function* toldProject(sale: SaleState) {
  const { world, seller, projectId, next, pick, chance, now, inHours } = sale;
  await world.tell(ProjectCreatedSchema, {
    projectId,
    version: next(projectId),
    sellingCompanyId: seller.id,
    occurredAt: now(),
  });
  yield 'project_created';
  yield* stage(sale, undefined, 'LEAD');
  const leadIds = world.leadIdsOf(seller.id);
  if (leadIds.length === 0 || chance(0.5)) return;
  const appointment = { appointmentId: newId('appt'), leadId: pick(leadIds) };
  for (const hours of chance(0.5) ? [24, 48] : [24]) {
    await world.tell(AppointmentScheduledSchema, {
      ...appointment,
      version: next(appointment.appointmentId),
      startsAt: inHours(hours),
      endsAt: inHours(hours + 1),
      occurredAt: now(),
    });
    yield 'appointment_scheduled';
  }
}

/** True if the customer accepts the quote. */
async function* toldQuote(sale: SaleState): AsyncGenerator<string, boolean, undefined> {
  const { world, projectId, price, next, chance, now, inHours } = sale;
  const quoteId = newId('quo');
  const of = () => ({ quoteId, version: next(quoteId), projectId, occurredAt: now() });
  await world.tell(QuoteSentSchema, { ...of(), total: usd(price), validUntil: inHours(30 * 24) });
  yield 'quote_sent';
  await world.tell(QuoteViewedSchema, of());
  yield 'quote_viewed';
  if (chance(0.1)) {
    yield* stage(sale, 'LEAD', 'LOST');
    return false;
  }
  await world.tell(QuoteAcceptedSchema, {
    ...of(),
    ...(chance(0.5) && { optionName: 'Comfort' }),
    total: usd(price),
  });
  yield 'quote_accepted';
  yield* stage(sale, 'LEAD', 'SOLD');
  return true;
}

async function* stage(sale: SaleState, previousStage: string | undefined, name: string) {
  const { world, projectId, next, now } = sale;
  await world.tell(ProjectStageChangedSchema, {
    projectId,
    version: next(projectId),
    ...(previousStage !== undefined && { previousStage }),
    stage: name,
    occurredAt: now(),
  });
  yield 'stage_changed';
}

/** Enters a record in the seller's journal; returns the id of the entry. */
async function* entered(
  { world, seller, projectId, now }: SaleState,
  record: NonNullable<MessageInitShape<typeof JournalEntryRecordedSchema>['record']>,
): AsyncGenerator<string, string, undefined> {
  const entryId = newId('jrn');
  await world.tell(JournalEntryRecordedSchema, {
    entryId,
    companyId: seller.id,
    projectId,
    record,
    occurredAt: now(),
  });
  yield 'journal_entry_recorded';
  return entryId;
}

async function* closed(sale: SaleState, job: SimulatedJob) {
  const { world, projectId, price, next, chance, now, inHours } = sale;
  await world.tell(JobCompletionAcceptedSchema, { jobId: job.id, version: next(job.id), occurredAt: now() });
  yield 'job_completion_accepted';
  const invoiceId = newId('inv');
  const invoice = { invoiceId, invoiceNumber: `INV-1X${invoiceId.slice(-6).toUpperCase()}` };
  const rest = usd(price - price / 10);
  await world.tell(InvoiceIssuedSchema, {
    ...invoice,
    version: next(invoiceId),
    projectId,
    total: rest,
    dueAt: inHours(14 * 24),
    occurredAt: now(),
  });
  yield 'invoice_issued';
  yield* entered(sale, { case: 'invoice', value: { ...invoice, amount: rest } });
  if (chance(0.3)) {
    const rebateId = newId('reb');
    let previousStatus: string | undefined;
    for (const status of ['SUBMITTED', chance(0.8) ? 'APPROVED' : 'REJECTED']) {
      await world.tell(RebateStatusChangedSchema, {
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
  yield* stage(sale, 'INSTALLATION', 'CLOSED');
  await world.tell(ProjectCompletedSchema, { projectId, version: next(projectId), occurredAt: now() });
  yield 'project_completed';
  yield* entered(sale, {
    case: 'payout',
    value: { payoutId: newId('pay'), payeeCompanyId: job.installer.id, amount: usd(price / 2) },
  });
}
