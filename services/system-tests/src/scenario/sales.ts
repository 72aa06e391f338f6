import { create, type MessageInitShape } from '@bufbuild/protobuf';
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
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { leadCreated, leadMerged } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/ids';
import { expectStatus } from './company.js';
import { anInstant, asSeller, ENDS, forbiddenTexts, PLATFORM, type Stage, stamp, STARTS } from './stage.js';
import { withUnknownFields } from './unknown-fields.js';

/** The seller hands in a lead twice, and some with violations. */
export async function handInLeads(
  stage: Stage,
  key: string,
): Promise<{ readonly leadId: string; readonly projectId: string }> {
  const { word } = stage;
  const address = `7 ${word('address of the lead', 'platform')} Street, Austin, TX 78701`;
  const lead = (which: string, place: string) => ({
    fullName: `Ada ${word(`name of the ${which} lead`, place)}`,
    email: `${word(`email of the ${which} lead`, place)}@customers.example`,
    phone: `phone ${word(`phone of the ${which} lead`, place)}`,
    address,
    smsConsent: true,
  });
  const post = (body: unknown) => asSeller(stage, key, 'POST', '/inbound/leads', body);
  const created = await post(lead('first', 'platform'));
  const merged = await post(lead('second', 'platform'));
  const kept = (what: string) => word(what, 'requests');
  for (const violation of [
    { ...lead('third', 'requests'), smsConsent: kept('consent') },
    { ...lead('fourth', 'requests'), address: kept('long address').repeat(30) },
    { fullName: kept('name without more'), phone: 1, address: [kept('address in a list')] },
    [kept('a list')],
  ]) {
    await expectStatus(400, post(violation));
  }
  return {
    leadId: leadCreated.parse(created.json).leadId,
    projectId: leadMerged.parse(merged.json).projectId,
  };
}

/** The seller books an appointment; the platform moves it, makes another one, and one for a lead that never comes. */
export async function bookAppointments(
  stage: Stage,
  key: string,
  { leadId, projectId }: { readonly leadId: string; readonly projectId: string },
): Promise<void> {
  const { seller, word, tell, at, side } = stage;
  const times = { startsAt: STARTS, endsAt: ENDS };
  const notes = `Ring ${word('notes of the appointment', ...at.sellerReceives, 'platform')}`;
  const booking = { leadId, ...times, notes, idempotencyKey: newId('evt') };
  const post = (body: object) => asSeller(stage, key, 'POST', '/inbound/appointments', body);
  const booked = await expectStatus(201, post(booking));
  await expectStatus(200, post(booking));
  await expectStatus(409, post({ ...booking, notes: word('other notes', 'requests') }));
  const { appointmentId } = appointmentBooked.parse(booked.json);
  const expectBooked = (id: string, version: number, occurredAt: string | undefined, data: object) => {
    const appointment = { appointmentId: id, leadId, projectId: null, ...times, notes: null, ...data };
    seller.expectEvent(
      'appointment.booked',
      { occurredAt, resource: { type: 'appointment', id, version } },
      appointment,
    );
  };
  expectBooked(appointmentId, 1, undefined, { notes });

  const moved = anInstant();
  const movedTimes = { startsAt: ENDS, endsAt: '2026-12-01T18:00:00.000Z' };
  const movedNotes = word('notes of the moved appointment', ...at.sellerReceives);
  const sent = { startsAt: stamp(STARTS), endsAt: stamp(ENDS) };
  await tell(AppointmentScheduledSchema, {
    appointmentId,
    version: 2,
    leadId,
    notes: movedNotes,
    startsAt: stamp(movedTimes.startsAt),
    endsAt: stamp(movedTimes.endsAt),
    occurredAt: moved.occurredAt,
  });
  expectBooked(appointmentId, 2, moved.shown, { ...movedTimes, notes: movedNotes });

  const made = anInstant();
  const madeId = newId('appt');
  const madeNotes = word('notes of the appointment of the platform', ...at.sellerReceives);
  const message = { appointmentId: madeId, version: 1, leadId, projectId, notes: madeNotes, ...sent };
  await tell(
    AppointmentScheduledSchema,
    withUnknownFields(
      create(AppointmentScheduledSchema, { ...message, occurredAt: made.occurredAt }),
      forbiddenTexts(stage, `the appointment of side ${side}`),
    ),
  );
  expectBooked(madeId, 1, made.shown, { projectId, notes: madeNotes });
  await tell(AppointmentScheduledSchema, {
    ...message,
    appointmentId: newId('appt'),
    leadId: newId('lead'),
    notes: word('notes of the waiting appointment', PLATFORM),
    occurredAt: anInstant().occurredAt,
  });
}

/** Everything that the platform reports of a project and its money. */
export async function tellOfSales(stage: Stage, projectId: string): Promise<void> {
  const { seller, tell, at, side } = stage;
  const text = (what: string) => stage.word(what, ...at.sellerReceives);
  const total = (what: string) => stage.money(what, ...at.sellerReceives);
  const about = (type: string, id: string, version: number) => {
    const { occurredAt, shown } = anInstant();
    return {
      sent: { projectId, version, occurredAt },
      shown,
      expected: { occurredAt: shown, resource: { type, id, version } },
    };
  };
  const createdId = newId('prj');
  const { occurredAt } = anInstant();
  await tell(ProjectCreatedSchema, {
    projectId: createdId,
    version: 1,
    sellingCompanyId: seller.id,
    occurredAt,
  });

  const stage1 = about('project', projectId, 1);
  const moved = { previousStage: text('stage before'), stage: text('stage') };
  await tell(ProjectStageChangedSchema, { ...stage1.sent, ...moved });
  seller.expectEvent('project.stage_changed', stage1.expected, { projectId, ...moved });

  const completed = about('project', createdId, 2);
  await tell(ProjectCompletedSchema, { ...completed.sent, projectId: createdId });
  const completion = { projectId: createdId, completedAt: completed.shown };
  seller.expectEvent('project.completed', completed.expected, completion);

  const quoteId = newId('quo');
  const sentTotal = total('total of the quote');
  const sent = about('quote', quoteId, 1);
  await tell(
    QuoteSentSchema,
    withUnknownFields(
      create(QuoteSentSchema, { ...sent.sent, quoteId, total: sentTotal.sent, validUntil: stamp(ENDS) }),
      forbiddenTexts(stage, `the quote of side ${side}`),
    ),
  );
  seller.expectEvent('quote.sent', sent.expected, {
    quoteId,
    projectId,
    total: sentTotal.shown,
    validUntil: ENDS,
  });

  const viewed = about('quote', quoteId, 2);
  await tell(QuoteViewedSchema, { ...viewed.sent, quoteId });
  seller.expectEvent('quote.viewed', viewed.expected, { quoteId, projectId, viewedAt: viewed.shown });

  const optionName = text('option');
  const acceptedTotal = total('accepted total');
  const accepted = about('quote', quoteId, 3);
  await tell(QuoteAcceptedSchema, { ...accepted.sent, quoteId, optionName, total: acceptedTotal.sent });
  const acceptance = { optionName, total: acceptedTotal.shown, acceptedAt: accepted.shown };
  seller.expectEvent('quote.accepted', accepted.expected, { quoteId, projectId, ...acceptance });
  await tellOfMoney(stage, projectId, about);
}

async function tellOfMoney(
  { seller, tell, at, word, money }: Stage,
  projectId: string,
  about: (
    type: string,
    id: string,
    version: number,
  ) => {
    readonly sent: Pick<MessageInitShape<typeof DepositPaidSchema>, 'projectId' | 'version' | 'occurredAt'>;
    readonly shown: string;
    readonly expected: Parameters<Stage['seller']['expectEvent']>[1];
  },
): Promise<void> {
  const text = (what: string) => word(what, ...at.sellerReceives);
  const depositId = newId('dep');
  const deposit = money('deposit', ...at.sellerReceives);
  const paid = about('deposit', depositId, 1);
  await tell(DepositPaidSchema, { ...paid.sent, depositId, amount: deposit.sent });
  const payment = { depositId, projectId, amount: deposit.shown, paidAt: paid.shown };
  seller.expectEvent('deposit.paid', paid.expected, payment);

  const refund = money('refund', ...at.sellerReceives);
  const refunded = about('deposit', depositId, 2);
  await tell(DepositRefundedSchema, { ...refunded.sent, depositId, amount: refund.sent });
  const refundment = { depositId, projectId, amount: refund.shown, refundedAt: refunded.shown };
  seller.expectEvent('deposit.refunded', refunded.expected, refundment);

  const invoiceId = newId('inv');
  const invoiceNumber = text('invoice number');
  const total = money('total of the invoice', ...at.sellerReceives);
  const issued = about('invoice', invoiceId, 1);
  await tell(InvoiceIssuedSchema, { ...issued.sent, invoiceId, invoiceNumber, total: total.sent });
  const invoice = { invoiceId, projectId, invoiceNumber, total: total.shown };
  seller.expectEvent('invoice.issued', issued.expected, { ...invoice, issuedAt: issued.shown, dueAt: null });

  const rebateId = newId('reb');
  const rebate = {
    programme: text('programme'),
    previousStatus: text('rebate status before'),
    status: text('rebate status'),
  };
  const changed = about('rebate', rebateId, 4);
  await tell(RebateStatusChangedSchema, { ...changed.sent, rebateId, ...rebate });
  seller.expectEvent('rebate.status_changed', changed.expected, { rebateId, projectId, ...rebate });
}

/** One entry of each kind in the seller's journal. */
export async function tellOfJournal(stage: Stage, projectId: string): Promise<void> {
  const { seller, installer, accountant, at, side } = stage;
  const amount = (what: string) => stage.money(`journal's ${what}`, ...at.accountantReceives);
  const code = (what: string) =>
    stage.deps.canaries.code(`journal's ${what} of side ${side}`, ...at.accountantReceives);
  const entry = async (
    record: MessageInitShape<typeof JournalEntryRecordedSchema>['record'],
    ofProject: boolean,
  ) => {
    const entryId = newId('jrn');
    const { occurredAt, shown } = anInstant();
    const message = { entryId, companyId: seller.id, occurredAt, ...(ofProject ? { projectId } : {}) };
    await stage.tell(
      JournalEntryRecordedSchema,
      withUnknownFields(
        create(JournalEntryRecordedSchema, record === undefined ? message : { ...message, record }),
        forbiddenTexts(stage, `the journal entry ${entryId} of side ${side}`),
      ),
    );
    return {
      about: { occurredAt: shown, resource: { type: 'journal_entry', id: entryId, version: 1 } },
      told: { entryId, companyId: seller.id, projectId: ofProject ? projectId : null, recordedAt: shown },
    };
  };
  const [deposit, invoice, payout, adjustment] = [
    amount('deposit'),
    amount('invoice'),
    amount('payout'),
    amount('adjustment'),
  ];

  const depositId = newId('dep');
  const deposited = await entry({ case: 'deposit', value: { depositId, amount: deposit.sent } }, true);
  const depositData = { ...deposited.told, depositId, amount: deposit.shown };
  accountant.expectEvent('journal.deposit_recorded', deposited.about, depositData);

  const numbered = { invoiceId: newId('inv'), invoiceNumber: code('invoice number') };
  const invoiced = await entry({ case: 'invoice', value: { ...numbered, amount: invoice.sent } }, true);
  const invoiceData = { ...invoiced.told, ...numbered, amount: invoice.shown };
  accountant.expectEvent('journal.invoice_recorded', invoiced.about, invoiceData);

  const paid = { payoutId: newId('pay'), payeeCompanyId: installer.id };
  const paidOut = await entry({ case: 'payout', value: { ...paid, amount: payout.sent } }, true);
  const payoutData = { ...paidOut.told, ...paid, amount: payout.shown };
  accountant.expectEvent('journal.payout_recorded', paidOut.about, payoutData);

  const reasonCode = code('reason');
  const adjusted = await entry({ case: 'adjustment', value: { reasonCode, amount: adjustment.sent } }, false);
  const adjustmentData = { ...adjusted.told, adjustsEntryId: null, reasonCode, amount: adjustment.shown };
  accountant.expectEvent('journal.adjustment_recorded', adjusted.about, adjustmentData);
}
