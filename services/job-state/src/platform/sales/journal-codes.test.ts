import {
  type DescMessage,
  fromBinary,
  fromJson,
  type JsonObject,
  ScalarType,
  toBinary,
  toJson,
} from '@bufbuild/protobuf';
import { expect, test } from '@jest/globals';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { incoming, TEST_NOW } from '../../testing/test-jobs.js';
import { PLATFORM_MESSAGE_TYPES, readPlatformMessage } from '../platform-messages.js';
import { MONEY, sent } from '../testing/messages.js';

const read = ({ type, body }: IncomingMessage) => readPlatformMessage(type, body, TEST_NOW);

const invoice = (invoiceNumber: string) =>
  sent.journalEntryRecorded({
    projectId: newId('prj'),
    record: { case: 'invoice', value: { invoiceId: newId('inv'), invoiceNumber, amount: MONEY } },
  });
const adjustment = (reasonCode: string) =>
  sent.journalEntryRecorded({
    record: { case: 'adjustment', value: { adjustsEntryId: newId('jrn'), reasonCode, amount: MONEY } },
  });

const NUMBERS =
  'INV-2026-000123 2026-11-000123 2026/0001234 INV-00012345 R-2026.417 INV_7 123456 A123456-B123456';

test.each(NUMBERS.split(' '))(
  'accepts the invoice number %s in the journal [PLATFORM-16, PLATFORM-17]',
  (text) => {
    expect(read(invoice(text))).toMatchObject({ kind: 'whole' });
  },
);

test.each(['WRITE_OFF', 'PRICE-CORRECTION', 'R07', 'VAT_2026_11'])(
  'accepts the reason code %s in the journal [PLATFORM-16]',
  (text) => {
    expect(read(adjustment(text))).toMatchObject({ kind: 'whole' });
  },
);

test.each([
  ['an invoice number with no digit', invoice('INVOICE')],
  ['an invoice number with a small letter', invoice('INV-2026-Quill')],
  ['an invoice number with a space', invoice('INV 7')],
  ['an invoice number that is an email address', invoice('ada7@mail.example')],
  ['an invoice number with two separators in a row', invoice('INV--7')],
  ['an invoice number with a separator at its end', invoice('INV-7-')],
  ['an invoice number with a letter that is not ASCII', invoice('Übergabe-7')],
  ['an invoice number of 61 characters', invoice('7'.padEnd(61, 'X'))],
  ['a reason code with a small letter', adjustment('Write_OFF')],
  ['a reason code with a space', adjustment('WRITE OFF')],
  ['a reason code with a digit first', adjustment('7_HARBOR')],
  ['a reason code of 61 characters', adjustment('X'.repeat(61))],
])('rejects %s in the journal, and reports the field [PLATFORM-16]', (what, message) => {
  const field = what.startsWith('a reason') ? 'adjustment.reasonCode' : 'invoice.invoiceNumber';
  expect(read(message)).toMatchObject({ reason: expect.stringContaining(`${field} is `) });
});

const PHONES = '555-010-0100 555-0100 5550100 CALL-1-512-555-0100 INV-2026-555-0100 A-0171-2345678';

test.each(PHONES.split(' '))('rejects a run of digits like %s in the journal [PLATFORM-17]', (text) => {
  const violation = 'has a run of 7 digits or more, as a phone number has';
  for (const message of [invoice(text), adjustment(`R-${text}`)]) {
    expect(read(message)).toMatchObject({ reason: expect.stringContaining(violation) });
  }
});

/** The paths of the texts of a message, including those of its nested messages. */
function textPaths(message: DescMessage, given: JsonObject): readonly (readonly string[])[] {
  return message.fields.flatMap((field) => {
    const name = field.jsonName;
    const value = given[name];
    if (value === undefined) return [];
    if (field.scalar === ScalarType.STRING) return [[name]];
    if (field.fieldKind !== 'message' || !isObject(value)) return [];
    return textPaths(field.message, value).map((path) => [name, ...path]);
  });
}

function withText(given: JsonObject, [name = '', ...rest]: readonly string[], text: string): JsonObject {
  const value = given[name];
  if (rest.length > 0 && isObject(value)) return { ...given, [name]: withText(value, rest, text) };
  return { ...given, [name]: Array.isArray(value) ? [text] : text };
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const word = fc.stringMatching(/^[A-Z][a-z]{3,9}$/);
const digits = (length: number) => fc.stringMatching(new RegExp(`^[2-9]\\d{${length - 1}}$`));
const phone = fc
  .tuple(fc.constantFrom('', '1', '+1 ', '1-', '+49'), digits(3), digits(3), digits(4))
  .chain(([prefix, area, exchange, line]) =>
    fc.constantFrom(
      ...['', '-', '.', '_'].map((separator) => prefix + [area, exchange, line].join(separator)),
      `${area}/${exchange}${line}`,
      `(${area}) ${exchange}-${line}`,
      `${exchange}-${line}`,
      `${exchange}${line}`,
      `${area} ${exchange} ${line}`,
    ),
  );
const email = fc.tuple(word, word).map((words) => `${words.join('.').toLowerCase()}@mail.example`);
const name = fc.oneof(
  fc.tuple(word, word).map((words) => words.join(' ')),
  word,
);
const address = fc
  .tuple(fc.integer({ min: 1, max: 9_999 }), word, fc.constantFrom('Street', 'Ave', 'St., Apt 4'))
  .map((parts) => parts.join(' '));
/** Personal data as it is, and inside of an otherwise valid code. */
const personal = fc
  .oneof(phone, email, name, address)
  .chain((text) =>
    fc.constantFrom(text, `INV-7 ${text}`, `${text} WRITE_OFF`, `CALL-${text}`, `INV-2026-${text}`),
  );

const payout = { payoutId: newId('pay'), payeeCompanyId: newId('cmp'), amount: MONEY };

/** Every message that can cause an event for an accounting company, or that such an event refers to. */
test.each([
  ['a company', sent.companyChanged({ accountingCompanyIds: [newId('cmp')] })],
  ['a project', sent.projectCreated()],
  ['a deposit', sent.journalEntryRecorded({ projectId: newId('prj') })],
  ['an invoice', invoice('INV-2026-000123')],
  ['a payout', sent.journalEntryRecorded({ record: { case: 'payout', value: payout } })],
  ['an adjustment', adjustment('WRITE_OFF')],
])(
  'no text of a message about %s can hold personal data, but for the name of a company [EVENT-5, PLATFORM-16]',
  (_what, message) => {
    const schema = PLATFORM_MESSAGE_TYPES.get(message.type)?.schema;
    const whole = schema && toJson(schema, fromBinary(schema, message.body));
    if (schema === undefined || !isObject(whole)) throw new Error('a message is an object');
    const paths = textPaths(schema, whole).filter(([field]) => field !== 'name');
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      fc.assert(
        fc.property(personal, (text) => {
          const body = toBinary(schema, fromJson(schema, withText(whole, path, text)));
          expect(read(incoming(schema.typeName, body))).toMatchObject({
            kind: 'malformed',
            reason: expect.stringContaining(path.at(-1) ?? ''),
          });
        }),
      );
    }
  },
);
