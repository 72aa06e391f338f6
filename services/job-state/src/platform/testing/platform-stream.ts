import {
  CompanyClass,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import {
  DocumentCategory,
  JobScheduleStatus,
} from '@partner/proto-contracts/gen/partner/platform/v1/job_messages_pb';
import type { IncomingMessage } from '@partner/kernel/amqp/consumer';
import { newId } from '@partner/kernel/process/ids';
import { fc } from '@partner/test-kit/fast-check';
import { SCOPE, sent, stamp } from './messages.js';

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

/** A version of a resource: each has its own instant, which identifies its event. */
const versionOf = (version: number) => ({ version, occurredAt: stamp(version) });

/** The messages of a plan in the order of their events, about resources that no other stream uses. */
export function platformStream(plan: Plan): readonly IncomingMessage[] {
  const sellers = [newId('cmp'), newId('cmp')] as const;
  const installers = [newId('cmp'), newId('cmp')] as const;
  const accounting = [newId('cmp'), newId('cmp')] as const;
  const company = (
    companyId: string,
    version: number,
    ofClass: CompanyClass,
    links: readonly number[] = [],
  ) =>
    sent.companyChanged({
      ...versionOf(version),
      companyId,
      name: `Company at ${version}`,
      class: ofClass,
      accountingCompanyIds: links.flatMap((link) => accounting[link] ?? []),
    });
  return [
    ...accounting.map((id) => company(id, 1, CompanyClass.ACCOUNTING)),
    ...installers.flatMap((id) => [1, 2].map((version) => company(id, version, CompanyClass.INSTALLER))),
    ...sellers.flatMap((id, seller) =>
      [[], ...(plan.sellers[seller] ?? [])].map((links, change) =>
        company(id, change + 1, CompanyClass.SALES, links),
      ),
    ),
    ...plan.entries.map(({ seller, at }) =>
      sent.journalEntryRecorded({ companyId: sellers[seller] ?? sellers[0], occurredAt: stamp(at) }),
    ),
    ...plan.members.flatMap(({ company: member, changes }) => {
      const membershipId = newId('mem');
      return changes.map(({ isOwner, active }, change) =>
        sent.membershipChanged({
          ...versionOf(change + 1),
          membershipId,
          companyId: installers[member] ?? installers[0],
          role: isOwner ? MembershipRole.OWNER : MembershipRole.TECHNICIAN,
          displayName: `Member at ${change + 1}`,
          email: `${membershipId}-${change}@owners.example`,
          active,
        }),
      );
    }),
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
  const changes = [owners.map((_, owner) => owner), ...rounds].flatMap((round, index) =>
    owners.map((membershipId, owner) =>
      sent.membershipChanged({
        ...versionOf(index + 1),
        membershipId,
        companyId,
        displayName: `Owner at ${index + 1}`,
        email: `${owners[round[owner] ?? owner] ?? ''}@owners.example`,
      }),
    ),
  );
  return [sent.companyChanged({ companyId, class: CompanyClass.INSTALLER }), ...changes];
}

function messagesOfJob(
  companies: { readonly sellingCompanyId: string; readonly installers: readonly [string, string] },
  { steps, end }: Plan['jobs'][number],
): readonly IncomingMessage[] {
  const jobId = newId('job');
  const documents = [newId('doc'), newId('doc')] as const;
  const messages = [...steps, ...(end === null ? [] : [{ kind: 'cancel' as const }, ...end])].map(
    (given: Step | { readonly kind: 'cancel' }, index) => {
      const version = index + 2;
      const about = { jobId, ...versionOf(version) };
      switch (given.kind) {
        case 'assign': {
          const installerCompanyId = companies.installers[given.to] ?? companies.installers[0];
          return sent.jobAssigned({ ...about, installerCompanyId });
        }
        case 'unassign':
          return sent.jobUnassigned(about);
        case 'cancel':
          return sent.jobCancelled(about);
        case 'scope':
          return sent.jobScopeChanged({ ...about, scope: { ...SCOPE, scopeVersion: version } });
        case 'readiness':
          return sent.jobReadinessChanged({
            ...about,
            ready: given.codes.length === 0,
            blockerCodes: given.codes,
          });
        case 'schedule': {
          const [startsAt, endsAt] = [stamp(given.hours * 60), stamp(given.hours * 60 + 60)];
          return sent.jobScheduled({ ...about, startsAt, endsAt });
        }
        case 'call off':
          return sent.jobScheduled({ ...about, status: JobScheduleStatus.CANCELLED });
        case 'document':
          return sent.jobDocumentAvailable({
            ...about,
            documentId: documents[given.document] ?? documents[0],
            category: given.isContract ? DocumentCategory.CONTRACT_METADATA : DocumentCategory.PERMIT,
            mime: `text/x-${version}`,
          });
        case 'completion':
          return sent.jobCompletionAccepted(about);
      }
    },
  );
  const { sellingCompanyId } = companies;
  return [sent.jobCreated({ jobId, sellingCompanyId, scope: { ...SCOPE, scopeVersion: 1 } }), ...messages];
}
