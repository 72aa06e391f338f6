import {
  create,
  type DescMessage,
  fromJson,
  type JsonObject,
  ScalarType,
  toBinary,
} from '@bufbuild/protobuf';
import { beforeAll, expect, test } from '@jest/globals';
import { CompanyChangedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  JournalEntryRecordedSchema,
  ProjectCreatedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { incoming, insertCompany, TEST_NOW } from '../../testing/test-jobs.js';
import { database, DONE, handle, seller } from '../testing/platform-fixture.js';

let accountant: string;
let projectId: string;

beforeAll(async () => {
  accountant = await insertCompany(database, 'ACCOUNTING');
  projectId = newId('prj');
  await database.query('insert into projects (id, company_id) values ($1, $2)', [projectId, seller]);
  await database.query(
    'insert into accounting_links (company_id, accounting_company_ids) values ($1, array[$2])',
    [seller, accountant],
  );
});

const occurredAt = TEST_NOW.toISOString();
const amount = { amountMinor: '1', currency: 'USD' };
const journalEntry = (record: JsonObject): JsonObject => ({
  entryId: newId('jrn'),
  companyId: seller,
  projectId,
  occurredAt,
  ...record,
});

/** Every message that can cause an event for an accounting company, or that such an event refers to. */
const MESSAGES: readonly (readonly [string, DescMessage, () => JsonObject])[] = [
  [
    'a company',
    CompanyChangedSchema,
    () => ({
      companyId: newId('cmp'),
      version: 1,
      name: 'Harbor Home Energy',
      class: 'COMPANY_CLASS_SALES',
      accountingCompanyIds: [accountant],
      occurredAt,
    }),
  ],
  [
    'a project',
    ProjectCreatedSchema,
    () => ({ projectId: newId('prj'), version: 1, sellingCompanyId: seller, occurredAt }),
  ],
  [
    'a deposit',
    JournalEntryRecordedSchema,
    () => journalEntry({ deposit: { depositId: newId('dep'), amount } }),
  ],
  [
    'an invoice',
    JournalEntryRecordedSchema,
    () => journalEntry({ invoice: { invoiceId: newId('inv'), invoiceNumber: 'INV-2026-000123', amount } }),
  ],
  [
    'a payout',
    JournalEntryRecordedSchema,
    () => journalEntry({ payout: { payoutId: newId('pay'), payeeCompanyId: seller, amount } }),
  ],
  [
    'an adjustment',
    JournalEntryRecordedSchema,
    () => journalEntry({ adjustment: { adjustsEntryId: newId('jrn'), reasonCode: 'WRITE_OFF', amount } }),
  ],
];

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
      `${prefix}${area}${exchange}${line}`,
      `${prefix}${area}-${exchange}-${line}`,
      `${prefix}${area}.${exchange}.${line}`,
      `${prefix}${area}_${exchange}_${line}`,
      `${area}/${exchange}${line}`,
      `(${area}) ${exchange}-${line}`,
      `${exchange}-${line}`,
      `${exchange}${line}`,
      `${area} ${exchange} ${line}`,
    ),
  );
const email = fc
  .tuple(word, word)
  .map(([one, two]) => `${one.toLowerCase()}.${two.toLowerCase()}@mail.example`);
const name = fc.oneof(
  fc.tuple(word, word).map((words) => words.join(' ')),
  word,
);
const address = fc
  .tuple(fc.integer({ min: 1, max: 9_999 }), word, fc.constantFrom('Street', 'Ave', 'St., Apt 4'))
  .map(([number, street, suffix]) => `${number} ${street} ${suffix}`);
const personal = fc.oneof(phone, email, name, address);
/** Unchanged, and inside of an otherwise valid code. */
const written = personal.chain((text) =>
  fc.record({
    text: fc.constantFrom(text, `INV-7 ${text}`, `${text} WRITE_OFF`, `CALL-${text}`, `INV-2026-${text}`),
  }),
);

test.each(MESSAGES)(
  'no text of a message about %s leaks personal data to an accounting company [EVENT-5, PLATFORM-16]',
  async (_what, schema, whole) => {
    const bodies = async () => {
      const rows = await database.query<{ body: Buffer }>('select body from events where company_id = $1', [
        accountant,
      ]);
      return rows.map(({ body }) => body.toString('utf8'));
    };
    const send = (json: JsonObject) =>
      handle(incoming(schema.typeName, toBinary(schema, create(schema, fromJson(schema, json)))));
    expect(await send(whole())).toEqual(DONE);

    const paths = textPaths(schema, whole()).filter(([field]) => field !== 'name');
    expect(paths.length).toBeGreaterThan(1);
    const before = await bodies();
    for (const path of paths) {
      await fc.assert(
        fc.asyncProperty(written, async ({ text }) => {
          const field = path.at(-1) ?? '';
          expect(await send(withText(whole(), path, text))).toEqual({
            kind: 'dead',
            reason: expect.stringContaining(field),
          });
        }),
        { numRuns: 100 },
      );
    }
    expect(await bodies()).toEqual(before);
  },
);

test('a company name, which can be any text, is in no event of an accounting company [PLATFORM-16]', async () => {
  const companyId = newId('cmp');
  const message = {
    companyId,
    version: 1,
    name: 'Ada Quill ada@mail.example 512-555-0100',
    class: 'COMPANY_CLASS_SALES',
    accountingCompanyIds: [accountant],
    occurredAt,
  };
  const entry = {
    entryId: newId('jrn'),
    companyId,
    occurredAt,
    deposit: { depositId: newId('dep'), amount },
  };
  for (const [schema, json] of [
    [CompanyChangedSchema, message],
    [JournalEntryRecordedSchema, entry],
  ] as const) {
    const body = toBinary(schema, create(schema, fromJson(schema, json)));
    expect(await handle(incoming(schema.typeName, body))).toEqual(DONE);
  }
  const events = await database.query<{ body: Buffer }>('select body from events where resource_id = $1', [
    entry.entryId,
  ]);
  expect(events.map(({ body }) => body.toString('utf8'))).toEqual([expect.not.stringContaining('Quill')]);
});
