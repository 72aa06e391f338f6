import { timestampFromDate } from '@bufbuild/protobuf/wkt';
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
  JobDocumentAvailableSchema,
  JobReadinessChangedSchema,
  JobScheduledSchema,
  JobScheduleStatus,
  JobScopeChangedSchema,
  JobUnassignedSchema,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import { JournalEntryRecordedSchema } from '@partner/proto-contracts/gen/partner/platform/v1/sales_messages_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { jobCreatedMessage, platformMessage, TEST_NOW } from '../../testing/test-jobs.js';

/** The instant of a version: each has its own, which identifies its event. */
const instantOf = (version: number): Date => new Date(TEST_NOW.getTime() + version * 60_000);
const stampOf = (version: number) => timestampFromDate(instantOf(version));

const zeroOrOne = fc.nat({ max: 1 });

/** A change of a job, apart from its end. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('assign' as const), to: zeroOrOne }),
  fc.record({ kind: fc.constant('assign' as const), to: zeroOrOne }),
  fc.record({ kind: fc.constant('unassign' as const) }),
  fc.record({ kind: fc.constant('scope' as const) }),
  fc.record({ kind: fc.constant('readiness' as const), codes: fc.subarray(['PERMIT', 'WEATHER', 'OTHER']) }),
  fc.record({ kind: fc.constant('schedule' as const), hours: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('schedule' as const), hours: fc.nat({ max: 2 }) }),
  fc.record({ kind: fc.constant('call off' as const) }),
  fc.record({ kind: fc.constant('document' as const), document: zeroOrOne, isContract: fc.boolean() }),
  fc.record({ kind: fc.constant('completion' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** Possible changes of a cancelled job. */
const afterwards = fc.oneof(
  fc.record({ kind: fc.constant('readiness' as const), codes: fc.subarray(['PERMIT', 'WEATHER']) }),
  fc.record({ kind: fc.constant('document' as const), document: zeroOrOne, isContract: fc.boolean() }),
);

/** Companies, memberships and jobs of one plan, each resource with its changes in order. */
export const platformPlan = fc.record({
  /** Changes of the links of each of two selling companies, beyond the first. */
  sellers: fc.tuple(
    fc.array(fc.subarray([0, 1]), { maxLength: 2 }),
    fc.array(fc.subarray([0, 1]), { maxLength: 2 }),
  ),
  /** Journal entries, each at the instant of a version of its seller, between two, or outside of them. */
  entries: fc.array(fc.record({ seller: zeroOrOne, at: fc.nat({ max: 7 }).map((halves) => halves / 2) }), {
    maxLength: 4,
  }),
  members: fc.array(
    fc.record({
      company: zeroOrOne,
      changes: fc.array(fc.record({ isOwner: fc.boolean(), active: fc.boolean() }), {
        minLength: 1,
        maxLength: 3,
      }),
    }),
    { maxLength: 2 },
  ),
  jobs: fc.array(
    fc.record({
      seller: zeroOrOne,
      steps: fc.array(step, { maxLength: 9 }),
      end: fc.option(fc.array(afterwards, { maxLength: 2 })),
    }),
    { minLength: 1, maxLength: 2 },
  ),
});

/**
 * Exchanges of the email addresses of some owners: the index of each owner's first address, per round.
 *
 * No message of it may be lost: while two owners request one address, the first one has it.
 */
export const exchangePlan = fc.integer({ min: 2, max: 3 }).chain((owners) => {
  const ownerIndexes = Array.from({ length: owners }, (_, owner) => owner);
  return fc.array(fc.shuffledSubarray(ownerIndexes, { minLength: owners }), { minLength: 1, maxLength: 3 });
});

type Plan = typeof platformPlan extends fc.Arbitrary<infer Value> ? Value : never;

/** The messages of a plan in the order of their events, about resources that no other stream uses. */
export function platformStream(plan: Plan): readonly IncomingMessage[] {
  const sellers = [newId('cmp'), newId('cmp')] as const;
  const installers = [newId('cmp'), newId('cmp')] as const;
  const accounting = [newId('cmp'), newId('cmp')] as const;
  const company = (companyId: string, version: number, companyClass: CompanyClass, links: string[] = []) =>
    platformMessage(CompanyChangedSchema, {
      companyId,
      version,
      name: `Company at ${version}`,
      class: companyClass,
      accountingCompanyIds: links,
      occurredAt: stampOf(version),
    });
  return [
    ...accounting.map((id) => company(id, 1, CompanyClass.ACCOUNTING)),
    ...installers.flatMap((id) => [1, 2].map((version) => company(id, version, CompanyClass.INSTALLER))),
    ...sellers.flatMap((id, seller) =>
      [[], ...(plan.sellers[seller] ?? [])].map((links, change) =>
        company(
          id,
          change + 1,
          CompanyClass.SALES,
          links.flatMap((link) => accounting[link] ?? []),
        ),
      ),
    ),
    ...plan.entries.map(({ seller, at }) =>
      platformMessage(JournalEntryRecordedSchema, {
        entryId: newId('jrn'),
        companyId: sellers[seller] ?? sellers[0],
        record: {
          case: 'deposit',
          value: { depositId: newId('dep'), amount: { amountMinor: '100', currency: 'USD' } },
        },
        occurredAt: stampOf(at),
      }),
    ),
    ...plan.members.flatMap(({ company: member, changes }) =>
      messagesOfMember(installers[member] ?? installers[0], changes),
    ),
    ...plan.jobs.flatMap((job) =>
      messagesOfJob({ sellingCompanyId: sellers[job.seller] ?? sellers[0], installers }, job),
    ),
  ];
}

/** The messages of address exchanges, in order, about owners of a company that no other stream uses. */
export function exchangeStream(
  rounds: typeof exchangePlan extends fc.Arbitrary<infer Value> ? Value : never,
): readonly IncomingMessage[] {
  const companyId = newId('cmp');
  const owners = (rounds[0] ?? []).map(() => newId('mem'));
  const company = platformMessage(CompanyChangedSchema, {
    companyId,
    version: 1,
    name: 'Exchange',
    class: CompanyClass.INSTALLER,
    occurredAt: stampOf(1),
  });
  const changes = [owners.map((_, owner) => owner), ...rounds].flatMap((round, index) =>
    owners.map((membershipId, owner) =>
      platformMessage(MembershipChangedSchema, {
        membershipId,
        version: index + 1,
        companyId,
        role: MembershipRole.OWNER,
        displayName: `Owner at ${index + 1}`,
        email: `${owners[round[owner] ?? owner] ?? ''}@owners.example`,
        active: true,
        occurredAt: stampOf(index + 1),
      }),
    ),
  );
  return [company, ...changes];
}

function messagesOfMember(
  companyId: string,
  changes: Plan['members'][number]['changes'],
): readonly IncomingMessage[] {
  const membershipId = newId('mem');
  return changes.map(({ isOwner, active }, change) =>
    platformMessage(MembershipChangedSchema, {
      membershipId,
      version: change + 1,
      companyId,
      role: isOwner ? MembershipRole.OWNER : MembershipRole.TECHNICIAN,
      displayName: `Member at ${change + 1}`,
      email: `${membershipId}-${change}@owners.example`,
      active,
      occurredAt: stampOf(change + 1),
    }),
  );
}

function messagesOfJob(
  companies: { readonly sellingCompanyId: string; readonly installers: readonly [string, string] },
  { steps, end }: Plan['jobs'][number],
): readonly IncomingMessage[] {
  const jobId = newId('job');
  const documents = [newId('doc'), newId('doc')] as const;
  const created = jobCreatedMessage({ jobId, sellingCompanyId: companies.sellingCompanyId });
  const messages = [...steps, ...(end === null ? [] : [{ kind: 'cancel' as const }, ...end])].map(
    (given: Step | { readonly kind: 'cancel' }, index) => {
      const version = index + 2;
      const about = { jobId, version, occurredAt: stampOf(version) };
      switch (given.kind) {
        case 'assign':
          return platformMessage(JobAssignedSchema, {
            ...about,
            installerCompanyId: companies.installers[given.to] ?? companies.installers[0],
          });
        case 'unassign':
          return platformMessage(JobUnassignedSchema, about);
        case 'cancel':
          return platformMessage(JobCancelledSchema, about);
        case 'scope':
          return platformMessage(JobScopeChangedSchema, {
            ...about,
            scope: { packageName: `Package ${version}`, systemType: 'HVAC', scopeVersion: version },
          });
        case 'readiness':
          return platformMessage(JobReadinessChangedSchema, {
            ...about,
            ready: given.codes.length === 0,
            blockerCodes: given.codes,
          });
        case 'schedule':
          return platformMessage(JobScheduledSchema, {
            ...about,
            status: JobScheduleStatus.CONFIRMED,
            startsAt: timestampFromDate(new Date(TEST_NOW.getTime() + given.hours * 3_600_000)),
            endsAt: timestampFromDate(new Date(TEST_NOW.getTime() + (given.hours + 1) * 3_600_000)),
            timeZone: 'America/Denver',
          });
        case 'call off':
          return platformMessage(JobScheduledSchema, {
            ...about,
            status: JobScheduleStatus.CANCELLED,
            timeZone: 'America/Denver',
          });
        case 'document':
          return platformMessage(JobDocumentAvailableSchema, {
            ...about,
            documentId: documents[given.document] ?? documents[0],
            category: given.isContract ? DocumentCategory.CONTRACT_METADATA : DocumentCategory.PERMIT,
            mime: `text/x-${version}`,
          });
        case 'completion':
          return platformMessage(JobCompletionAcceptedSchema, about);
      }
    },
  );
  return [created, ...messages];
}
