import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  CompanyChangedSchema,
  CompanyClassSchema,
  MembershipChangedSchema,
  MembershipRole,
} from '@partner/proto-contracts/gen/partner/platform/v1/company_messages_pb';
import { apiKeyCreated } from '@partner/proto-contracts/resources/api-key/api-key';
import type { KeyKindName } from '@partner/proto-contracts/api/scopes';
import {
  EVENT_CATALOGUE,
  eventGroup,
  type EventName,
  isEventName,
  isNotification,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import { secretRotated } from '@partner/proto-contracts/resources/subscription/subscription';
import { newId } from '@partner/kernel/process/ids';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { expectStatus } from '../support/http-call.js';
import { createActiveSubscription, type OwnerSession } from '../support/owner-session.js';
import type { TestStack } from '../support/test-stack.js';
import type { Canaries } from './canaries.js';
import type { Recorder } from './recorder.js';

export interface ScenarioDeps {
  readonly stack: TestStack;
  readonly canaries: Canaries;
  readonly recorder: Recorder;
  /** The response of a receiver at a path: status and body. */
  readonly responses: Map<string, { readonly status: number; readonly body: string }>;
}

/** A company full of canaries, with an owner who is signed in and a subscription to all that it may have. */
export interface ScenarioCompany {
  readonly id: string;
  /** Name of the company in its places, e.g. `the seller of side A`. */
  readonly who: string;
  readonly class: CompanyClassName;
  readonly subscriptionId: string;
  readonly subscriptionUrl: string;
  /** Sends a request to the console as its owner. */
  console(method: string, path: string, body?: unknown): Promise<HttpResponse>;
  /** Listens to the console's changes until one names what `cause` changes. */
  receiveChange(cause: () => Promise<unknown>): Promise<void>;
  /** Creates an API key at the console and returns its text. */
  makeKey(kind: KeyKindName, boundCompanyId?: string): Promise<string>;
}

/** The events that a class of companies may have, besides notifications to owners. */
export function eventsOf(companyClass: CompanyClassName): readonly EventName[] {
  return Object.keys(EVENT_CATALOGUE)
    .filter(isEventName)
    .filter((event) => !isNotification(event))
    .filter((event) => EVENT_CATALOGUE[event].classes.some((allowed) => allowed === companyClass));
}

function groupsOf(companyClass: CompanyClassName): readonly string[] {
  const events = eventsOf(companyClass).filter((event) => event !== 'install.test');
  return [...new Set(events.map((event) => `${eventGroup(event)}.*`))];
}

/** Where owners' sessions are kept, with the names that the console shows. */
const SESSIONS = 'redis';

interface CompanyOptions {
  readonly class: CompanyClassName;
  readonly who: string;
  readonly accountingCompanyIds?: readonly string[];
  /** Who sees its name besides its own console. */
  readonly nameAt?: readonly string[];
}

/** Makes the company and its owner by messages of the platform, and all the rest as the owner would, at the console. */
export async function createScenarioCompany(
  deps: ScenarioDeps,
  company: CompanyOptions,
): Promise<ScenarioCompany> {
  const { stack, canaries, recorder } = deps;
  const { who } = company;
  const consolePlace = `console of ${who}`;
  const { id, ...credentials } = await publishCompany(deps, company, consolePlace);
  const session = await signIn(deps, who, credentials);
  const call: OwnerSession['call'] = (method, path, body) =>
    recorder.call(consolePlace, path, {
      method,
      headers: session,
      ...(method === 'GET' ? {} : { body: body ?? {} }),
    });
  const console: ScenarioCompany['console'] = (method, path, body) =>
    call(method, `/partner-api${path}`, body);
  await expectStatus(200, console('GET', '/colleagues'));

  const token = canaries.word(`token in the URL of ${who}`, consolePlace);
  const subscriptionUrl = `${stack.receiverUrl}/${id}?token=${token}`;
  deps.responses.set(new URL(subscriptionUrl).pathname, {
    status: 200,
    body: `done ${canaries.word(`what the receiver of ${who} sends`, consolePlace)}`,
  });
  const subscription = await createActiveSubscription(
    { call },
    {
      url: subscriptionUrl,
      events: groupsOf(company.class),
      description: `For ${canaries.word(`description of the webhook of ${who}`, consolePlace)}`,
    },
  );
  canaries.known(`secret of the webhook of ${who}`, subscription.secret.replace('whsec_', ''), consolePlace);
  const rotated = await expectStatus(201, console('POST', `/webhooks/${subscription.id}/rotate-secret`));
  canaries.known(
    `pending secret of ${who}`,
    secretRotated.parse(rotated.json).secret.replace('whsec_', ''),
    consolePlace,
  );
  return {
    id,
    who,
    class: company.class,
    subscriptionId: subscription.id,
    subscriptionUrl,
    console,
    async receiveChange(cause) {
      const ended = new AbortController();
      const path = '/partner-api/changes';
      const response = await fetch(new URL(path, stack.baseUrl), { headers: session, signal: ended.signal });
      await cause();
      let text = '';
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString('utf8');
        if (text.includes('data:')) break;
      }
      ended.abort();
      recorder.keep(consolePlace, `GET ${path}`, text);
    },
    async makeKey(kind, boundCompanyId) {
      const description = canaries.word(`description of the ${kind} key of ${who}`, consolePlace);
      const made = await expectStatus(
        201,
        console('POST', '/api-keys', {
          kind,
          description,
          ...(boundCompanyId === undefined ? {} : { boundCompanyId }),
        }),
      );
      const { apiKey } = apiKeyCreated.parse(made.json);
      canaries.known(
        `secret of the ${kind} key of ${who}`,
        apiKey.slice(apiKey.indexOf('.') + 1),
        consolePlace,
      );
      return apiKey;
    },
  };
}

/** Publishes the company and its owner as the platform does; resolves to the owner's credentials. */
async function publishCompany(
  { stack, canaries }: ScenarioDeps,
  company: CompanyOptions,
  consolePlace: string,
): Promise<{ readonly id: string; readonly email: string; readonly password: string }> {
  const { who } = company;
  const id = newId('cmp');
  // Before every journal entry of the company: an entry is for the companies that were linked by then.
  const occurredAt = timestampFromDate(new Date(Date.now() - 3_600_000));
  const name = canaries.word(`name of ${who}`, consolePlace, SESSIONS, ...(company.nameAt ?? []));
  await stack.publishFromPlatform(CompanyChangedSchema, {
    companyId: id,
    version: 1,
    name: `Company ${name}`,
    class: enumValue(CompanyClassSchema, company.class),
    accountingCompanyIds: [...(company.accountingCompanyIds ?? [])],
    occurredAt,
  });
  const email = `${canaries.word(`email of the owner of ${who}`, 'messages of the platform', consolePlace)}@owners.example`;
  const ownerId = newId('mem');
  await stack.publishFromPlatform(MembershipChangedSchema, {
    membershipId: ownerId,
    version: 1,
    companyId: id,
    role: MembershipRole.OWNER,
    displayName: `Owner ${canaries.word(`name of the owner of ${who}`, consolePlace, SESSIONS)}`,
    email,
    active: true,
    occurredAt,
  });
  return { id, email, password: await givePassword(stack, ownerId) };
}

/** As an operator would: the password of an owner whose password is known. */
async function givePassword({ database, company }: TestStack, ownerId: string): Promise<string> {
  const known = company('SALES');
  await eventually('the owner is there', async () => {
    const changed = await database.query(
      `update memberships set password_hash = (select password_hash from memberships where email = $2) where id = $1`,
      [ownerId, known.owner.email],
    );
    return changed.rowCount === 1;
  });
  return known.owner.password;
}

/** Signs in after attempts that fail; gives the headers of the owner's requests. */
async function signIn(
  { stack, canaries, recorder }: ScenarioDeps,
  who: string,
  credentials: { readonly email: string; readonly password: string },
): Promise<Readonly<Record<string, string>>> {
  const origin = new URL(stack.baseUrl).origin;
  const post = (place: string, body: unknown) =>
    recorder.call(place, '/partner-api/session', { method: 'POST', headers: { origin }, body });
  const wrong = canaries.word(`wrong password at ${who}`, 'requests');
  await post('unauthenticated', { ...credentials, password: wrong });
  const strangers = canaries.word(`unknown address at ${who}`, 'requests');
  await post('unauthenticated', { email: `${strangers}@unknown.example`, password: wrong });
  await post('unauthenticated', { email: strangers, password: wrong });
  const response = await expectStatus(200, post(`console of ${who}`, credentials));
  const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const token = cookie.slice(cookie.indexOf('=') + 1);
  canaries.known(`session of the owner of ${who}`, token, `console of ${who}`);
  return { cookie, origin };
}
