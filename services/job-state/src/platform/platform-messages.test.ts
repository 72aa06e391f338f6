import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from '@jest/globals';
import {
  CompanyChangedSchema,
  CompanyClass,
  MembershipChangedSchema,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  DocumentCategory,
  JobAssignedSchema,
  JobCancelledSchema,
  JobCompletionAcceptedSchema,
  JobCreatedSchema,
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { PLATFORM_MESSAGES } from '@partner/proto-contracts/platform-messages';
import { newId } from '@partner/kernel/process/ids';
import { TEST_NOW } from '../testing/test-jobs.js';
import type { ReadMessage } from './platform-message-type.js';
import { PLATFORM_MESSAGE_TYPES, readPlatformMessage } from './platform-messages.js';

const NOW = timestampFromMs(TEST_NOW.getTime());
const LATER = timestampFromMs(TEST_NOW.getTime() + 3_600_000);
const job = { jobId: newId('job'), version: 3, occurredAt: NOW };
const scope = {
  packageName: 'Heat Pump Essential',
  systemType: 'HVAC',
  equipment: [{ name: 'Air-source heat pump', model: 'HP-36K', quantity: 1 }],
  accessories: [{ name: 'Mounting kit', quantity: 2 }],
  supplierSources: [{ name: 'Central Supply' }],
  scopeVersion: 2,
};
const customer = {
  name: 'Jordan Ellis',
  phone: '+1 555 0100',
  line1: '12 Maple Street',
  city: 'Boulder',
  state: 'CO',
  zip: '80302',
};

/** A company with only a class that a later contract may add. */
const CLASS_OF_LATER_VERSION = Uint8Array.of(4 << 3, 9);

const WHOLE = {
  company: {
    companyId: newId('cmp'),
    version: 1,
    name: 'Harbor Home',
    class: CompanyClass.SALES,
    accountingCompanyIds: [newId('cmp')],
    occurredAt: NOW,
  } satisfies MessageInitShape<typeof CompanyChangedSchema>,
  membership: {
    membershipId: newId('mem'),
    version: 1,
    companyId: newId('cmp'),
    role: MembershipRole.OWNER,
    displayName: 'Ada Cole',
    email: 'ada@harbor.example',
    active: true,
    occurredAt: NOW,
  } satisfies MessageInitShape<typeof MembershipChangedSchema>,
  created: { ...job, version: 1, sellingCompanyId: newId('cmp'), workOrderNo: 'WO-1', customer, scope },
  assigned: { ...job, installerCompanyId: newId('cmp') },
  scoped: { ...job, scope },
  ready: { ...job, ready: false, blockerCodes: ['PERMIT', 'WEATHER'] },
  scheduled: {
    ...job,
    status: JobScheduleStatus.CONFIRMED,
    startsAt: NOW,
    endsAt: LATER,
    timeZone: 'America/Denver',
  } satisfies MessageInitShape<typeof JobScheduledSchema>,
  document: {
    ...job,
    documentId: newId('doc'),
    category: DocumentCategory.PERMIT,
    mime: 'application/pdf',
  } satisfies MessageInitShape<typeof JobDocumentAvailableSchema>,
};

function readOf<Desc extends DescMessage>(schema: Desc, content: MessageInitShape<Desc>): ReadMessage {
  return readPlatformMessage(schema.typeName, toBinary(schema, create(schema, content)), TEST_NOW);
}

function violationsOf(read: ReadMessage): string {
  return read.kind === 'malformed' ? read.reason : '';
}

const MALFORMED: readonly [violation: string, read: ReadMessage][] = [
  ['version is less than 1', readOf(JobAssignedSchema, { ...WHOLE.assigned, version: 0 })],
  ['version is not 1', readOf(JobCreatedSchema, { ...WHOLE.created, version: 2 })],
  [
    'class has no value that is known',
    readOf(CompanyChangedSchema, { ...WHOLE.company, class: CompanyClass.UNSPECIFIED }),
  ],
  [
    'class has no value that is known',
    readPlatformMessage(CompanyChangedSchema.typeName, CLASS_OF_LATER_VERSION, TEST_NOW),
  ],
  [
    'accountingCompanyIds holds a company twice',
    readOf(CompanyChangedSchema, {
      ...WHOLE.company,
      accountingCompanyIds: [WHOLE.company.companyId, WHOLE.company.companyId],
    }),
  ],
  [
    'accountingCompanyIds.0 is not an id with the prefix cmp_',
    readOf(CompanyChangedSchema, { ...WHOLE.company, accountingCompanyIds: [newId('job')] }),
  ],
  ['name is empty', readOf(CompanyChangedSchema, { ...WHOLE.company, name: '' })],
  [
    'customer.name is longer than 120 characters',
    readOf(JobCreatedSchema, { ...WHOLE.created, customer: { ...customer, name: 'x'.repeat(121) } }),
  ],
  [
    'role has no value that is known',
    readOf(MembershipChangedSchema, { ...WHOLE.membership, role: MembershipRole.UNSPECIFIED }),
  ],
  ['email is empty', readOf(MembershipChangedSchema, { ...WHOLE.membership, email: '' })],
  ['email is no email address', readOf(MembershipChangedSchema, { ...WHOLE.membership, email: 'secret' })],
  [
    'email is no email address',
    readOf(MembershipChangedSchema, { ...WHOLE.membership, email: 'sécret@harbor.example' }),
  ],
  [
    'displayName holds the character U+0000',
    readOf(MembershipChangedSchema, { ...WHOLE.membership, displayName: 'secret\u0000' }),
  ],
  [
    'blockerCodes.0 is no code that is known',
    readOf(JobReadinessChangedSchema, { ...WHOLE.ready, blockerCodes: ['SECRET'] }),
  ],
  [
    'blockerCodes holds a code twice',
    readOf(JobReadinessChangedSchema, { ...WHOLE.ready, blockerCodes: ['PERMIT', 'PERMIT'] }),
  ],
  [
    'blockerCodes holds codes while ready',
    readOf(JobReadinessChangedSchema, { ...WHOLE.ready, ready: true }),
  ],
  [
    'status has no value that is known',
    readOf(JobScheduledSchema, { ...WHOLE.scheduled, status: JobScheduleStatus.UNSPECIFIED }),
  ],
  [
    'timeZone is no IANA time zone name',
    readOf(JobScheduledSchema, { ...WHOLE.scheduled, timeZone: '+05:00' }),
  ],
  ['timeZone is no IANA time zone name', readOf(JobScheduledSchema, { ...WHOLE.scheduled, timeZone: 'PST' })],
  ['endsAt must be after startsAt', readOf(JobScheduledSchema, { ...WHOLE.scheduled, endsAt: NOW })],
  [
    'category has no value that is known',
    readOf(JobDocumentAvailableSchema, { ...WHOLE.document, category: DocumentCategory.UNSPECIFIED }),
  ],
  ['mime is no media type', readOf(JobDocumentAvailableSchema, { ...WHOLE.document, mime: 'secret' })],
  [
    'documentId is not an id with the prefix doc_',
    readOf(JobDocumentAvailableSchema, { ...WHOLE.document, documentId: 'secret' }),
  ],
  [
    'scope.scopeVersion is negative',
    readOf(JobScopeChangedSchema, { ...job, scope: { ...scope, scopeVersion: -1 } }),
  ],
  [
    'jobId is not an id with the prefix job_',
    readOf(JobAssignedSchema, { ...WHOLE.assigned, jobId: 'secret' }),
  ],
];

const COMPLETE = [
  ['a company', readOf(CompanyChangedSchema, WHOLE.company), WHOLE.company.companyId],
  ['a membership', readOf(MembershipChangedSchema, WHOLE.membership), WHOLE.membership.membershipId],
  ['a new job', readOf(JobCreatedSchema, WHOLE.created), job.jobId],
  ['an assignment', readOf(JobAssignedSchema, WHOLE.assigned), job.jobId],
  ['the end of one', readOf(JobUnassignedSchema, job), job.jobId],
  ['a cancellation', readOf(JobCancelledSchema, job), job.jobId],
  ['a scope', readOf(JobScopeChangedSchema, WHOLE.scoped), job.jobId],
  ['readiness', readOf(JobReadinessChangedSchema, WHOLE.ready), job.jobId],
  ['a schedule', readOf(JobScheduledSchema, WHOLE.scheduled), job.jobId],
  ['a document', readOf(JobDocumentAvailableSchema, WHOLE.document), job.jobId],
  ['an accepted completion', readOf(JobCompletionAcceptedSchema, job), job.jobId],
] as const;

describe('a message of the platform', () => {
  test.each(COMPLETE)('about %s is accepted if it is complete', (_what, read, resourceId) => {
    expect(read).toMatchObject({ kind: 'whole', message: { resourceId } });
  });

  test('is recognized by its type, for each type of the contract', () => {
    const sent = PLATFORM_MESSAGES.map(({ typeName }) => typeName);
    expect([...PLATFORM_MESSAGE_TYPES.keys()].sort()).toEqual(sent.sort());
  });

  test('of an unknown type is malformed', () => {
    expect(readPlatformMessage('partner.platform.v1.Unheard', new Uint8Array(), TEST_NOW)).toEqual({
      kind: 'malformed',
      reason: 'unknown message type "partner.platform.v1.Unheard"',
    });
  });

  test.each([...PLATFORM_MESSAGE_TYPES.values()].map((type) => [type.schema.name, type] as const))(
    '%s that is empty, or no protobuf, is malformed',
    (_name, { schema, read }) => {
      const named = violationsOf(read(new Uint8Array(), TEST_NOW));
      expect(named).toContain(`${schema.typeName}: `);
      expect(named).toContain('occurredAt is missing');
      expect(violationsOf(read(Buffer.from('{"jobId":1}'), TEST_NOW))).toBe(
        `the body is no ${schema.typeName}`,
      );
    },
  );

  const ABOUT_JOB = 'jobId version occurredAt';
  test.each<[DescMessage, string]>([
    [CompanyChangedSchema, 'companyId version name class occurredAt'],
    [MembershipChangedSchema, 'membershipId version companyId role displayName active occurredAt'],
    [JobCreatedSchema, `${ABOUT_JOB} sellingCompanyId customer scope`],
    [JobAssignedSchema, `${ABOUT_JOB} installerCompanyId`],
    [JobUnassignedSchema, ABOUT_JOB],
    [JobCancelledSchema, ABOUT_JOB],
    [JobCompletionAcceptedSchema, ABOUT_JOB],
    [JobScopeChangedSchema, `${ABOUT_JOB} scope`],
    [JobReadinessChangedSchema, `${ABOUT_JOB} ready`],
    [JobScheduledSchema, `${ABOUT_JOB} status timeZone`],
    [JobDocumentAvailableSchema, `${ABOUT_JOB} documentId category mime`],
  ])('reports every missing field: %s [PLATFORM-1]', (schema, fields) => {
    const missing = fields.split(' ').map((field) => `${field} is missing`);
    expect(violationsOf(readOf(schema, {}))).toBe(`${schema.typeName}: ${missing.join('; ')}`);
  });

  test.each(MALFORMED)(
    'with the violation “%s” is malformed, and the reason does not repeat the value [LEAD-6, PLATFORM-7, SCHED-4]',
    (violation, read) => {
      expect(violationsOf(read)).toContain(violation);
      expect(violationsOf(read)).not.toMatch(/secret/i);
    },
  );

  test('about an owner requires an email address, and one about a technician may have one', () => {
    const { email, ...without } = WHOLE.membership;
    expect(violationsOf(readOf(MembershipChangedSchema, without))).toContain('email is missing');
    const technician = { ...without, role: MembershipRole.TECHNICIAN };
    expect(readOf(MembershipChangedSchema, technician)).toMatchObject({ kind: 'whole' });
    expect(readOf(MembershipChangedSchema, { ...technician, email })).toMatchObject({ kind: 'whole' });
  });

  test.each([
    [JobScheduleStatus.TENTATIVE, 'TENTATIVE'],
    [JobScheduleStatus.CONFIRMED, 'CONFIRMED'],
  ])('about a schedule of status %d needs both times', (status, name) => {
    const given = { ...job, status, timeZone: 'America/Denver' };
    expect(violationsOf(readOf(JobScheduledSchema, given))).toContain(
      `startsAt is required when status is ${name}`,
    );
    expect(violationsOf(readOf(JobScheduledSchema, { ...given, startsAt: NOW }))).toContain(
      `endsAt is required when status is ${name}`,
    );
  });

  test('about a cancelled schedule needs no times', () => {
    const given = { ...job, status: JobScheduleStatus.CANCELLED, timeZone: 'America/Denver' };
    expect(readOf(JobScheduledSchema, given)).toMatchObject({ kind: 'whole' });
  });

  test.each([
    [new Date('1999-12-31T23:59:59Z').getTime(), 'is no instant of the years 2000 to 2100'],
    [TEST_NOW.getTime() + 3_600_001, 'is more than 1 h ahead'],
    [8_000_000_000_000_000, 'is no instant of the years 2000 to 2100'],
  ])('of the instant %d is malformed [HTTP-17]', (ms, violation) => {
    expect(violationsOf(readAssigned(timestampFromMs(ms)))).toContain(`occurredAt ${violation}`);
  });

  test('with an invalid instant is malformed', () => {
    const occurredAt = { ...timestampFromMs(0), seconds: 9_000_000_000_000_000n };
    expect(readAssigned(occurredAt)).toMatchObject({ kind: 'malformed' });
  });

  test('can be an hour ahead', () => {
    expect(readAssigned(LATER)).toMatchObject({ kind: 'whole' });
  });

  test('with many violations reports twenty of them', () => {
    const items = Array.from({ length: 200 }, () => ({}));
    const read = readOf(JobScopeChangedSchema, { scope: { equipment: items, accessories: items } });
    expect(violationsOf(read).split('; ')).toHaveLength(20);
  });

  test('of more than 1 MiB is malformed, whatever its content', () => {
    const type = JobAssignedSchema.typeName;
    const whole = toBinary(JobAssignedSchema, create(JobAssignedSchema, WHOLE.assigned));
    // A field of another version of the contract, sized so that the body has the length.
    const ofLength = (length: number) => {
      const tag = [0xa2, 0x06];
      const size = length - whole.length - tag.length - 3;
      const bytes = [(size & 0x7f) | 0x80, ((size >> 7) & 0x7f) | 0x80, size >> 14];
      return Uint8Array.from([...whole, ...tag, ...bytes, ...new Uint8Array(size)]);
    };
    expect(readPlatformMessage(type, ofLength(1_048_576), TEST_NOW)).toMatchObject({ kind: 'whole' });
    expect(readPlatformMessage(type, ofLength(1_048_577), TEST_NOW)).toEqual({
      kind: 'malformed',
      reason: 'the body has more than 1048576 bytes',
    });
  });

  test('about an accounting company has no links to others', () => {
    const accounting = { ...WHOLE.company, class: CompanyClass.ACCOUNTING };
    expect(violationsOf(readOf(CompanyChangedSchema, accounting))).toContain(
      'accountingCompanyIds holds companies',
    );
    expect(readOf(CompanyChangedSchema, { ...accounting, accountingCompanyIds: [] })).toMatchObject({
      kind: 'whole',
    });
  });
});

function readAssigned(occurredAt: Timestamp): ReadMessage {
  return readOf(JobAssignedSchema, { ...WHOLE.assigned, occurredAt });
}
