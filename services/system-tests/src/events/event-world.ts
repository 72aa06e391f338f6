import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CompanyChangedSchema,
  CompanyClass,
} from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import { leadCreated, leadMerged } from '@partner/proto-contracts/public-api/lead';
import {
  type CompanyClassName,
  EVENT_CATALOGUE,
  eventGroup,
  eventsMatching,
  isEventName,
} from '@partner/proto-contracts/public-api/webhook-events';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { eventually } from '@partner/test-kit/eventually';
import { call } from '../support/http-call.js';
import { createActiveSubscription, type OwnerSession, signIn } from '../support/owner-session.js';
import { addKey } from '../surfaces/surface-side.js';
import type { TestStack } from '../support/test-stack.js';

/** What a company's server gets its webhooks with. */
export interface EventSubscription {
  readonly id: string;
  readonly secret: string;
  /** Where its webhooks arrive. */
  readonly path: string;
}

/** A company with an owner who has subscribed to every group of events that its class may have. */
export interface EventCompany {
  readonly id: string;
  readonly class: CompanyClassName;
  readonly owner: OwnerSession;
  readonly subscription: EventSubscription;
  /** Names every group and every event there is: the database was made to hold what no owner can ask for. */
  readonly forced: EventSubscription;
}

/** Companies of each class: one that everything happens to, and one that must hear of nothing. */
export interface EventWorld {
  readonly companies: Readonly<
    Record<CompanyClassName, { readonly own: EventCompany; readonly other: EventCompany }>
  >;
  /** An installer company that nobody subscribed for. */
  readonly bystanderId: string;
  readonly keys: { readonly general: string; readonly installer: string };
  readonly technicianId: string;
  /** Of the seller. */
  readonly leadId: string;
  /** The project of the lead. */
  readonly projectId: string;
}

const CLASSES = {
  SALES: CompanyClass.SALES,
  INSTALLER: CompanyClass.INSTALLER,
  ACCOUNTING: CompanyClass.ACCOUNTING,
} as const satisfies Record<CompanyClassName, CompanyClass>;

/** Every name of an event and, as `group.*`, every group. */
export const EVERY_PATTERN: readonly string[] = [
  ...Object.keys(EVENT_CATALOGUE),
  ...new Set(
    Object.keys(EVENT_CATALOGUE)
      .filter(isEventName)
      .map((event) => `${eventGroup(event)}.*`),
  ),
];

/** The groups of which a company of the class may have an event that is not the test on demand. */
export function groupsOf(companyClass: CompanyClassName): readonly string[] {
  return EVERY_PATTERN.filter(
    (pattern) =>
      pattern.endsWith('.*') &&
      eventsMatching(pattern, companyClass).some((event) => event !== 'install.test'),
  );
}

/** Makes the companies through the platform's messages, their owners, keys and subscriptions, and a lead of the seller. */
export async function createEventWorld(stack: TestStack): Promise<EventWorld> {
  const accounting = await createPair(stack, 'ACCOUNTING', []);
  const sales = await createPair(stack, 'SALES', [accounting.own.id]);
  const installer = await createPair(stack, 'INSTALLER', []);
  const [bystander] = stack.companies('INSTALLER');
  invariant(bystander, 'the sandbox has an installer company');
  const technicianId = newId('mem');
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name) values ($1, $2, 'TECHNICIAN', 'Tess Field')`,
    [technicianId, installer.own.id],
  );
  await stack.database.query('update companies set installer_requests_per_minute = 1000000 where id = $1', [
    installer.own.id,
  ]);
  const general = await addKey(stack, { companyId: sales.own.id, kind: 'general' });
  const postLead = () =>
    call(stack.baseUrl, '/inbound/leads', {
      method: 'POST',
      headers: { 'x-api-key': general },
      body: {
        fullName: 'Ada Quill',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: '7 Harbor Street, Austin, TX 78701',
      },
    });
  const { leadId } = leadCreated.parse((await postLead()).json);
  const { projectId } = leadMerged.parse((await postLead()).json);
  return {
    companies: { SALES: sales, INSTALLER: installer, ACCOUNTING: accounting },
    bystanderId: bystander.id,
    keys: {
      general,
      installer: await addKey(stack, { companyId: installer.own.id, kind: 'installer-company' }),
    },
    technicianId,
    leadId,
    projectId,
  };
}

async function createPair(
  stack: TestStack,
  companyClass: CompanyClassName,
  accountingCompanyIds: readonly string[],
): Promise<{ readonly own: EventCompany; readonly other: EventCompany }> {
  return {
    own: await createCompany(stack, companyClass, accountingCompanyIds),
    other: await createCompany(stack, companyClass, []),
  };
}

async function createCompany(
  stack: TestStack,
  companyClass: CompanyClassName,
  accountingCompanyIds: readonly string[],
): Promise<EventCompany> {
  const id = newId('cmp');
  await stack.publishFromPlatform(CompanyChangedSchema, {
    companyId: id,
    version: 1,
    name: `The ${companyClass} company`,
    class: CLASSES[companyClass],
    accountingCompanyIds: [...accountingCompanyIds],
    occurredAt: timestampFromDate(new Date()),
  });
  await eventually('the company is there', async () => {
    const found = await stack.database.query('select 1 from companies where id = $1', [id]);
    return found.rowCount === 1;
  });
  const owner = await createOwner(stack, id);
  const subscribe = async (name: string): Promise<EventSubscription> => {
    const url = `${stack.receiverUrl}/${id}/${name}`;
    const made = await createActiveSubscription(owner, { url, events: groupsOf(companyClass) });
    return { ...made, path: new URL(url).pathname };
  };
  const subscription = await subscribe('own');
  const forced = await subscribe('forced');
  await stack.database.query('update subscriptions set events = $2 where id = $1', [
    forced.id,
    EVERY_PATTERN,
  ]);
  return { id, class: companyClass, owner, subscription, forced };
}

async function createOwner(stack: TestStack, companyId: string): Promise<OwnerSession> {
  const [known] = stack.companies('SALES');
  invariant(known, 'the sandbox has a company whose password is known');
  const email = `owner-${companyId}@owners.example`;
  await stack.database.query(
    `insert into memberships (id, company_id, role, display_name, email, password_hash)
     select $1, $2, 'OWNER', 'An owner', $3, password_hash from memberships where email = $4`,
    [newId('mem'), companyId, email, known.owner.email],
  );
  return signIn(stack.baseUrl, { email, password: known.owner.password });
}
