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
import { appointmentBooked } from '@partner/proto-contracts/resources/appointment/appointment';
import { leadCreated } from '@partner/proto-contracts/resources/lead/lead';
import { newId } from '@partner/kernel/process/ids';
import { expectStatus } from '../support/http-call.js';
import { anInstant, asSeller, ENDS, PLATFORM, type Stage, stamp, STARTS } from './stage.js';

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
  await expectStatus(200, post(lead('second', 'platform')));
  const kept = (what: string) => word(what, 'requests');
  for (const violation of [
    { ...lead('third', 'requests'), smsConsent: kept('consent') },
    { ...lead('fourth', 'requests'), address: kept('long address').repeat(30) },
    { fullName: kept('name without more'), phone: 1, address: [kept('address in a list')] },
    [kept('a list')],
  ]) {
    await expectStatus(400, post(violation));
  }
  return leadCreated.parse(created.json);
}

/** The seller books an appointment; the platform moves it, makes another one, and one for a lead that is never published. */
export async function bookAppointments(
  stage: Stage,
  key: string,
  { leadId, projectId }: { readonly leadId: string; readonly projectId: string },
): Promise<void> {
  const { word, publish, at } = stage;
  const booking = {
    leadId,
    startsAt: STARTS,
    endsAt: ENDS,
    notes: `Ring ${word('notes of the appointment', ...at.sellerReceives, 'platform')}`,
    idempotencyKey: newId('evt'),
  };
  const post = (body: object) => asSeller(stage, key, 'POST', '/inbound/appointments', body);
  const booked = await expectStatus(201, post(booking));
  await expectStatus(200, post(booking));
  await expectStatus(409, post({ ...booking, notes: word('other notes', 'requests') }));
  const { appointmentId } = appointmentBooked.parse(booked.json);

  const times = { startsAt: stamp(STARTS), endsAt: stamp(ENDS) };
  await publish(AppointmentScheduledSchema, {
    ...times,
    appointmentId,
    version: 2,
    leadId,
    notes: word('notes of the moved appointment', ...at.sellerReceives),
    occurredAt: anInstant(),
  });
  await publish(AppointmentScheduledSchema, {
    ...times,
    appointmentId: newId('appt'),
    version: 1,
    leadId,
    projectId,
    notes: word('notes of the appointment of the platform', ...at.sellerReceives),
    occurredAt: anInstant(),
  });
  await publish(AppointmentScheduledSchema, {
    ...times,
    appointmentId: newId('appt'),
    version: 1,
    leadId: newId('lead'),
    projectId,
    notes: word('notes of the waiting appointment', PLATFORM),
    occurredAt: anInstant(),
  });
}

/** Everything that the platform reports of a project and its money. */
export async function publishSales(stage: Stage, projectId: string): Promise<void> {
  const { seller, publish, at } = stage;
  const text = (what: string) => stage.word(what, ...at.sellerReceives);
  const amount = (what: string) => stage.money(what, ...at.sellerReceives);
  const about = (version: number) => ({ projectId, version, occurredAt: anInstant() });

  await publish(ProjectStageChangedSchema, {
    ...about(1),
    previousStage: text('stage before'),
    stage: text('stage'),
  });
  const completed = { projectId: newId('prj') };
  await publish(ProjectCreatedSchema, { ...about(1), ...completed, sellingCompanyId: seller.id });
  await publish(ProjectCompletedSchema, { ...about(2), ...completed });

  const quoteId = newId('quo');
  await publish(QuoteSentSchema, {
    ...about(1),
    quoteId,
    total: amount('total of the quote'),
    validUntil: stamp(ENDS),
  });
  await publish(QuoteViewedSchema, { ...about(2), quoteId });
  await publish(QuoteAcceptedSchema, {
    ...about(3),
    quoteId,
    optionName: text('option'),
    total: amount('accepted total'),
  });

  const depositId = newId('dep');
  await publish(DepositPaidSchema, { ...about(1), depositId, amount: amount('deposit') });
  await publish(DepositRefundedSchema, { ...about(2), depositId, amount: amount('refund') });
  await publish(InvoiceIssuedSchema, {
    ...about(1),
    invoiceId: newId('inv'),
    invoiceNumber: text('invoice number'),
    total: amount('total of the invoice'),
  });
  await publish(RebateStatusChangedSchema, {
    ...about(4),
    rebateId: newId('reb'),
    programme: text('programme'),
    previousStatus: text('rebate status before'),
    status: text('rebate status'),
  });
}

/** One entry of each kind in the seller's journal. */
export async function publishJournal(stage: Stage, projectId: string): Promise<void> {
  const { seller, installer, at, side } = stage;
  const amount = (what: string) => stage.money(`journal's ${what}`, ...at.accountantReceives);
  const code = (what: string) =>
    stage.deps.canaries.code(`journal's ${what} of side ${side}`, ...at.accountantReceives);
  const invoice = { invoiceId: newId('inv'), invoiceNumber: code('invoice number') };
  const payout = { payoutId: newId('pay'), payeeCompanyId: installer.id };
  const records = [
    { case: 'deposit', value: { depositId: newId('dep'), amount: amount('deposit') } },
    { case: 'invoice', value: { ...invoice, amount: amount('invoice') } },
    { case: 'payout', value: { ...payout, amount: amount('payout') } },
    { case: 'adjustment', value: { reasonCode: code('reason'), amount: amount('adjustment') } },
  ] as const;
  for (const record of records) {
    await stage.publish(JournalEntryRecordedSchema, {
      entryId: newId('jrn'),
      companyId: seller.id,
      ...(record.case === 'adjustment' ? {} : { projectId }),
      record,
      occurredAt: anInstant(),
    });
  }
}
