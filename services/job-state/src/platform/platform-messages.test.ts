import { fromBinary } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  CompanyClass,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  DocumentCategory,
  JobScheduleStatus,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { incoming, TEST_NOW } from '../testing/test-jobs.js';
import type { ReadMessage } from './message-type/platform-message-type.js';
import { PLATFORM_MESSAGE_TYPES, readPlatformMessage } from './platform-messages.js';
import { at, CUSTOMER, MONEY, SCOPE, sent, stamp } from './testing/messages.js';

const read = ({ type, body }: IncomingMessage): ReadMessage => readPlatformMessage(type, body, TEST_NOW);

function violationsOf(message: IncomingMessage): string {
  const result = read(message);
  return result.kind === 'malformed' ? result.reason : '';
}

const WHOLE: Readonly<Record<string, () => IncomingMessage>> = sent;
const TYPES = [...PLATFORM_MESSAGE_TYPES.values()].map((type) => [type.schema.name, type] as const);
const company = newId('cmp');
/** A company with only a class that a later contract may add. */
const CLASS_OF_LATER_VERSION = Uint8Array.of(4 << 3, 9);
const accounting = { class: CompanyClass.ACCOUNTING };
const technician = { role: MembershipRole.TECHNICIAN };
const entry = sent.journalEntryRecorded;

const MALFORMED: readonly [violation: string, message: IncomingMessage][] = [
  ['version is less than 1', sent.jobAssigned({ version: 0 })],
  ['version is not 1', sent.jobCreated({ version: 2 })],
  ['class has an unknown value', sent.companyChanged({ class: CompanyClass.UNSPECIFIED })],
  ['class has an unknown value', incoming('partner.platform.v1.CompanyChanged', CLASS_OF_LATER_VERSION)],
  ['accountingCompanyIds holds a company twice', linked(company, company)],
  ['accountingCompanyIds.0 is not an id with the prefix cmp_', linked(newId('job'))],
  [
    'accountingCompanyIds holds companies',
    sent.companyChanged({ ...accounting, accountingCompanyIds: [company] }),
  ],
  ['name is empty', sent.companyChanged({ name: '' })],
  [
    'customer.name is longer than 120 characters',
    sent.jobCreated({ customer: { ...CUSTOMER, name: 'x'.repeat(121) } }),
  ],
  ['role has an unknown value', sent.membershipChanged({ role: MembershipRole.UNSPECIFIED })],
  ['email is missing', sent.membershipChanged({ email: undefined })],
  ['email is empty', sent.membershipChanged({ email: '' })],
  ['email is not an email address', sent.membershipChanged({ email: 'secret' })],
  ['email is not an email address', sent.membershipChanged({ email: 'sécret@harbor.example' })],
  ['displayName holds the character U+0000', sent.membershipChanged({ displayName: 'secret\u0000' })],
  ['blockerCodes.0 is not a known code', blocked('SECRET')],
  ['blockerCodes holds a code twice', blocked('PERMIT', 'PERMIT')],
  ['blockerCodes holds codes while ready', sent.jobReadinessChanged({ blockerCodes: ['PERMIT'] })],
  ['status has an unknown value', sent.jobScheduled({ status: JobScheduleStatus.UNSPECIFIED })],
  ['timeZone is not an IANA time zone name', sent.jobScheduled({ timeZone: '+05:00' })],
  ['timeZone is not an IANA time zone name', sent.jobScheduled({ timeZone: 'PST' })],
  ['endsAt must be after startsAt', sent.jobScheduled({ endsAt: stamp() })],
  ['startsAt is required when status is CONFIRMED', sent.jobScheduled({ startsAt: undefined })],
  [
    'endsAt is required when status is TENTATIVE',
    sent.jobScheduled({ status: JobScheduleStatus.TENTATIVE, endsAt: undefined }),
  ],
  ['category has an unknown value', sent.jobDocumentAvailable({ category: DocumentCategory.UNSPECIFIED })],
  ['mime is not a media type', sent.jobDocumentAvailable({ mime: 'secret' })],
  ['documentId is not an id with the prefix doc_', sent.jobDocumentAvailable({ documentId: 'secret' })],
  ['scope.scopeVersion is negative', sent.jobScopeChanged({ scope: { ...SCOPE, scopeVersion: -1 } })],
  ['jobId is not an id with the prefix job_', sent.jobAssigned({ jobId: 'secret' })],
  ['total.amountMinor is negative', quoted({ amountMinor: '-1' })],
  ['total.amountMinor is beyond 9e15', quoted({ amountMinor: '9000000000000001' })],
  ['total.currency is not an ISO 4217 code', quoted({ currency: 'usd' })],
  ['stage is empty', sent.projectStageChanged({ stage: '' })],
  ['endsAt is not after startsAt', sent.appointmentScheduled({ endsAt: stamp(60) })],
  ['notes is longer than 500 characters', sent.appointmentScheduled({ notes: 'secret'.repeat(100) })],
  [
    'deposit | invoice | payout | adjustment is missing or of an unknown kind',
    entry({ record: { case: undefined } }),
  ],
  ['deposit.amount is missing', entry({ record: { case: 'deposit', value: { depositId: newId('dep') } } })],
  ['adjustment.reasonCode is missing', entry({ record: { case: 'adjustment', value: { amount: MONEY } } })],
  ['occurredAt is not an instant in the years 2000 to 2100', occurred(Date.UTC(1999, 11, 31, 23, 59, 59))],
  ['occurredAt is not an instant in the years 2000 to 2100', occurred(8_000_000_000_000_000)],
  [
    'occurredAt is not an instant',
    sent.jobAssigned({ occurredAt: { ...stamp(), seconds: 9_000_000_000_000_000n } }),
  ],
  ['occurredAt is more than 1 h ahead', occurred(at(60).getTime() + 1)],
];

function occurred(ms: number): IncomingMessage {
  return sent.jobAssigned({ occurredAt: timestampFromMs(ms) });
}

function linked(...accountingCompanyIds: string[]): IncomingMessage {
  return sent.companyChanged({ accountingCompanyIds });
}

function blocked(...blockerCodes: string[]): IncomingMessage {
  return sent.jobReadinessChanged({ ready: false, blockerCodes });
}

function quoted(given: Partial<typeof MONEY>): IncomingMessage {
  return sent.quoteSent({ total: { ...MONEY, ...given } });
}

describe('a message of the platform', () => {
  test('is recognized by its type, for each type of the contract', () => {
    const names = PLATFORM_MESSAGES.map(({ typeName }) => typeName).sort();
    expect([...PLATFORM_MESSAGE_TYPES.keys()].sort()).toEqual(names);
    expect([...new Set(Object.values(WHOLE).map((message) => message().type))].sort()).toEqual(names);
  });

  test.each(Object.entries(WHOLE))(
    'is accepted if it is complete, and is about the resource in its first field: %s',
    (_name, message) => {
      const whole = message();
      const { type, body } = whole;
      const schema = PLATFORM_MESSAGE_TYPES.get(type)?.schema;
      const [first] = schema?.fields ?? [];
      const decoded = schema && Object.entries(fromBinary(schema, body));
      const resourceId = decoded?.find(([name]) => name === first?.localName)?.[1];
      expect(read(whole)).toMatchObject({ kind: 'whole', message: { resourceId, version: 1 } });
    },
  );

  test.each(TYPES)('%s that is empty, or no protobuf, is malformed', (_name, { schema: { typeName } }) => {
    const named = violationsOf(incoming(typeName, new Uint8Array()));
    expect(named).toContain(`${typeName}: `);
    expect(named).toContain('occurredAt is missing');
    expect(violationsOf(incoming(typeName, Buffer.from('{"jobId":1}')))).toBe(
      `the body is not a ${typeName}`,
    );
  });

  const ABOUT_JOB = 'jobId version occurredAt';
  test.each([
    ['CompanyChanged', 'companyId version name class occurredAt'],
    ['MembershipChanged', 'membershipId version companyId role displayName active occurredAt'],
    ['JobCreated', `${ABOUT_JOB} sellingCompanyId customer scope`],
    ['JobAssigned', `${ABOUT_JOB} installerCompanyId`],
    ['JobUnassigned', ABOUT_JOB],
    ['JobCancelled', ABOUT_JOB],
    ['JobCompletionAccepted', ABOUT_JOB],
    ['JobScopeChanged', `${ABOUT_JOB} scope`],
    ['JobReadinessChanged', `${ABOUT_JOB} ready`],
    ['JobScheduled', `${ABOUT_JOB} status timeZone`],
    ['JobDocumentAvailable', `${ABOUT_JOB} documentId category mime`],
    ['QuoteSent', 'version projectId occurredAt quoteId total'],
    ['DepositPaid', 'version projectId occurredAt depositId amount'],
  ])('reports every missing field: %s [PLATFORM-1]', (name, fields) => {
    const type = `partner.platform.v1.${name}`;
    const missing = fields.split(' ').map((field) => `${field} is missing`);
    expect(violationsOf(incoming(type, new Uint8Array()))).toBe(`${type}: ${missing.join('; ')}`);
  });

  test.each(MALFORMED)(
    'with the violation “%s” is malformed, and the reason does not repeat the value [HTTP-17, LEAD-6, PLATFORM-7, SCHED-4]',
    (violation, message) => {
      expect(violationsOf(message)).toContain(violation);
      expect(violationsOf(message)).not.toMatch(/secret/i);
    },
  );

  test.each([
    ['about a technician with an email address', sent.membershipChanged(technician)],
    ['about a technician without one', sent.membershipChanged({ ...technician, email: undefined })],
    [
      'about a cancelled schedule without times',
      sent.jobScheduled({ status: JobScheduleStatus.CANCELLED, startsAt: undefined, endsAt: undefined }),
    ],
    ['about an accounting company without links', sent.companyChanged(accounting)],
    ['that is an hour ahead', occurred(at(60).getTime())],
  ])('%s is accepted', (_what, message) => {
    expect(read(message)).toMatchObject({ kind: 'whole' });
  });

  test('with many violations reports twenty of them', () => {
    const items = Array.from({ length: 200 }, () => ({}));
    const message = sent.jobScopeChanged({ scope: { equipment: items, accessories: items } });
    expect(violationsOf(message).split('; ')).toHaveLength(20);
  });

  test('of more than 1 MiB is malformed, whatever its content', () => {
    const { type, body } = sent.jobAssigned();
    // A field of another version of the contract, sized so that the body has the length.
    const ofLength = (length: number) => {
      const tag = [0xa2, 0x06];
      const size = length - body.length - tag.length - 3;
      const bytes = [(size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14];
      return incoming(type, Uint8Array.from([...body, ...tag, ...bytes, ...new Uint8Array(size)]));
    };
    expect(read(ofLength(1_048_576))).toMatchObject({ kind: 'whole' });
    expect(violationsOf(ofLength(1_048_577))).toBe('the body has more than 1048576 bytes');
  });
});
