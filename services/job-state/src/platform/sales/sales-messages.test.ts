import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  AppointmentScheduledSchema,
  DepositPaidSchema,
  JournalEntryRecordedSchema,
  ProjectCreatedSchema,
  ProjectStageChangedSchema,
  QuoteSentSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { TEST_NOW, platformMessage } from '../../testing/test-jobs.js';
import { salesMessages } from './sales-messages.js';
import { FACT_CASES } from './testing/sales-facts.js';

const occurredAt = timestampFromDate(TEST_NOW);
const USD = { amountMinor: '100', currency: 'USD' };
const projectId = newId('prj');

function read({ type, body }: Pick<IncomingMessage, 'type' | 'body'>): unknown {
  return salesMessages.find(({ schema }) => schema.typeName === type)?.read(body, TEST_NOW);
}

const quote = { quoteId: newId('quo'), version: 1, projectId, total: USD, occurredAt };
const appointment = {
  appointmentId: newId('appt'),
  version: 1,
  leadId: newId('lead'),
  startsAt: occurredAt,
  endsAt: timestampFromDate(new Date(TEST_NOW.getTime() + 1)),
  occurredAt,
};
const entry = { entryId: newId('jrn'), companyId: newId('cmp'), occurredAt };
const deposit = { case: 'deposit', value: { depositId: newId('dep'), amount: USD } } as const;

const MALFORMED: readonly [violation: string, message: ReturnType<typeof platformMessage>][] = [
  ['quoteId is missing', platformMessage(QuoteSentSchema, { ...quote, quoteId: undefined })],
  [
    'quoteId is not an id with the prefix quo_',
    platformMessage(QuoteSentSchema, { ...quote, quoteId: projectId }),
  ],
  ['version is missing', platformMessage(QuoteSentSchema, { ...quote, version: undefined })],
  ['version is less than 1', platformMessage(QuoteSentSchema, { ...quote, version: 0 })],
  ['projectId is missing', platformMessage(QuoteSentSchema, { ...quote, projectId: undefined })],
  ['total is missing', platformMessage(QuoteSentSchema, { ...quote, total: undefined })],
  [
    'total.amountMinor is negative',
    platformMessage(QuoteSentSchema, { ...quote, total: { ...USD, amountMinor: '-1' } }),
  ],
  [
    'total.amountMinor is beyond 9e15',
    platformMessage(QuoteSentSchema, { ...quote, total: { ...USD, amountMinor: '9000000000000001' } }),
  ],
  [
    'total.currency is not an ISO 4217 code',
    platformMessage(QuoteSentSchema, { ...quote, total: { ...USD, currency: 'usd' } }),
  ],
  ['occurredAt is missing', platformMessage(QuoteSentSchema, { ...quote, occurredAt: undefined })],
  [
    'amount is missing',
    platformMessage(DepositPaidSchema, { depositId: newId('dep'), version: 1, projectId, occurredAt }),
  ],
  [
    'stage is empty',
    platformMessage(ProjectStageChangedSchema, { projectId, version: 1, stage: '', occurredAt }),
  ],
  [
    'endsAt is not after startsAt',
    platformMessage(AppointmentScheduledSchema, { ...appointment, endsAt: appointment.startsAt }),
  ],
  ['leadId is missing', platformMessage(AppointmentScheduledSchema, { ...appointment, leadId: undefined })],
  [
    'JournalEntryRecorded: deposit | invoice | payout | adjustment is missing or of an unknown kind',
    platformMessage(JournalEntryRecordedSchema, entry),
  ],
  [
    'JournalEntryRecorded: deposit.amount is missing',
    platformMessage(JournalEntryRecordedSchema, {
      ...entry,
      record: { case: 'deposit', value: { depositId: newId('dep') } },
    }),
  ],
  [
    'JournalEntryRecorded: adjustment.reasonCode is missing',
    platformMessage(JournalEntryRecordedSchema, {
      ...entry,
      record: { case: 'adjustment', value: { amount: USD } },
    }),
  ],
];

describe('a message about sales', () => {
  test.each(FACT_CASES)('is read for $event with the id of the resource that its version is of', (fact) => {
    const id = fact.kind === 'project' ? projectId : fact.newId();
    const message = read(fact.message({ id, projectId, version: 7, occurredAt }));
    expect(message).toMatchObject({ kind: 'whole', message: { resourceId: id, version: 7 } });
  });

  test('is read with its fewest possible fields', () => {
    const messages = [
      platformMessage(ProjectCreatedSchema, {
        projectId,
        version: 1,
        sellingCompanyId: newId('cmp'),
        occurredAt,
      }),
      platformMessage(AppointmentScheduledSchema, appointment),
      platformMessage(JournalEntryRecordedSchema, { ...entry, record: deposit }),
    ];
    for (const message of messages) expect(read(message)).toMatchObject({ kind: 'whole' });
  });

  test('of the journal is version 1 of its entry', () => {
    expect(read(platformMessage(JournalEntryRecordedSchema, { ...entry, record: deposit }))).toMatchObject({
      message: { resourceId: entry.entryId, version: 1 },
    });
  });

  test.each(MALFORMED)('is malformed: %s', (violation, message) => {
    expect(read(message)).toMatchObject({ kind: 'malformed', reason: expect.stringContaining(violation) });
  });

  const numbered = (invoiceNumber: string) =>
    read(
      platformMessage(JournalEntryRecordedSchema, {
        ...entry,
        record: { case: 'invoice', value: { invoiceId: newId('inv'), invoiceNumber, amount: USD } },
      }),
    );
  const reasoned = (reasonCode: string) =>
    read(
      platformMessage(JournalEntryRecordedSchema, {
        ...entry,
        record: { case: 'adjustment', value: { reasonCode, amount: USD } },
      }),
    );

  test.each([
    'INV-2026-000123',
    '2026-11-000123',
    '2026/0001234',
    'INV-00012345',
    'R-2026.417',
    'INV_7',
    '123456',
    'A123456-B123456',
  ])('accepts the invoice number %s in the journal [PLATFORM-16, PLATFORM-17]', (invoiceNumber) => {
    expect(numbered(invoiceNumber)).toMatchObject({ kind: 'whole' });
  });

  test.each(['WRITE_OFF', 'PRICE-CORRECTION', 'R07', 'VAT_2026_11'])(
    'accepts the reason code %s in the journal [PLATFORM-16]',
    (reasonCode) => {
      expect(reasoned(reasonCode)).toMatchObject({ kind: 'whole' });
    },
  );

  test.each([
    ['no digit', 'INVOICE'],
    ['a small letter', 'INV-2026-Quill'],
    ['a space', 'INV 7'],
    ['an email address', 'ada7@mail.example'],
    ['two separators in a row', 'INV--7'],
    ['a separator at its end', 'INV-7-'],
    ['a character that is no letter of ASCII', 'Übergabe-7'],
    ['61 characters', '7'.padEnd(61, 'X')],
  ])(
    'rejects an invoice number with %s in the journal, and reports the field [PLATFORM-16]',
    (_what, text) => {
      expect(numbered(text)).toMatchObject({
        kind: 'malformed',
        reason: expect.stringContaining('invoice.invoiceNumber is '),
      });
    },
  );

  test.each([
    ['a small letter', 'Write_OFF'],
    ['a space', 'WRITE OFF'],
    ['a digit first', '7_HARBOR'],
    ['61 characters', 'X'.repeat(61)],
  ])('rejects a reason code with %s in the journal, and reports the field [PLATFORM-16]', (_what, text) => {
    expect(reasoned(text)).toMatchObject({
      kind: 'malformed',
      reason: expect.stringContaining('adjustment.reasonCode is '),
    });
  });

  test.each([
    '555-010-0100',
    '555-0100',
    '5550100',
    'CALL-1-512-555-0100',
    'INV-2026-555-0100',
    'A-0171-2345678',
  ])('rejects a run of digits like %s in the journal [PLATFORM-17]', (text) => {
    const violation = 'has a run of 7 digits or more, as a phone number has';
    expect(numbered(text)).toMatchObject({ reason: expect.stringContaining(`invoiceNumber ${violation}`) });
    const reason = `R-${text}`;
    expect(reasoned(reason)).toMatchObject({ reason: expect.stringContaining(`reasonCode ${violation}`) });
  });

  test('is malformed without its values in the reason', () => {
    const secret = 'canary'.repeat(100);
    const message = read(platformMessage(AppointmentScheduledSchema, { ...appointment, notes: secret }));
    expect(JSON.stringify(message)).not.toContain('canary');
  });
});
