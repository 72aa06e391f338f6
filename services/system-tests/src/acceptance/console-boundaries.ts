import { beforeAll, expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { newId } from '@partner/kernel/ids';
import {
  type ConsoleRequest,
  consoleRequests,
  type ConsoleSide,
  createConsoleSide,
  readEverything,
  readSessionIds,
} from '../surfaces/console-side.js';
import { signIn } from '../support/owner-session.js';
import type { TestStack } from '../support/test-stack.js';
import type { AcceptanceWorld } from './acceptance-world.js';

/** What owners, technicians, keys and pages of other sites can do at the console to what is not theirs: nothing. */
export function describeConsoleBoundaries(world: () => AcceptanceWorld): void {
  const WITH_SESSION = CONSOLE_OPERATIONS.filter(({ unauthenticated }) => unauthenticated !== true);
  const ON_ONE = CONSOLE_OPERATIONS.filter(({ path }) => path.includes(':id'));
  const WRITES = CONSOLE_OPERATIONS.filter(({ method }) => method !== 'get');
  const READS = CONSOLE_OPERATIONS.filter(({ method }) => method === 'get');

  let stack: TestStack;
  let own: ConsoleSide;
  let other: ConsoleSide;
  let ownOrigin: string;

  beforeAll(async () => {
    ({ stack } = world());
    own = await createConsoleSide(stack, stack.company('INSTALLER', 0));
    other = await createConsoleSide(stack, stack.company('INSTALLER', 1));
    ownOrigin = new URL(stack.baseUrl).origin;
  });

  /** Sends a request with these headers and nothing else; of a stream only the head is read. */
  async function sendTo(
    { method, path, body }: ConsoleRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<{
    readonly status: number;
    readonly code: unknown;
    readonly text: string;
    readonly headers: Headers;
  }> {
    const response = await fetch(new URL(path, stack.baseUrl), {
      method,
      headers: { ...(method === 'GET' ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream) await response.body?.cancel();
    const text = isStream ? '' : await response.text();
    return {
      status: response.status,
      code: /"code":"(\w+)"/.exec(text)?.[1],
      text,
      headers: response.headers,
    };
  }

  /** The cookie of a new session. */
  const newCookie = async (side: ConsoleSide): Promise<string> =>
    (await signIn(stack.baseUrl, side.company.owner)).headers.cookie;

  /** Tries requests, and expects of each the same refusal, and of all of them no effect. */
  async function expectRefused(
    requests: readonly ConsoleRequest[],
    headers: Readonly<Record<string, string>>,
    refusal: { readonly status: number; readonly code: string },
  ): Promise<void> {
    const readState = async () => ({
      everything: await readEverything(stack.database),
      sessions: [await readSessionIds(own.session), await readSessionIds(other.session)],
    });
    const before = await readState();
    expect(requests.length).toBeGreaterThan(0);
    for (const request of requests) {
      const { status, code, text, headers: answered } = await sendTo(request, headers);
      expect([request.method, request.path, status, code]).toEqual([
        request.method,
        request.path,
        refusal.status,
        refusal.code,
      ]);
      // Nothing of anyone: neither ids nor names, and no session.
      expect(text).not.toMatch(/(whk|dlv|evt|rpl|key|ses|aud|cmp|mem)_[0-9a-z]{26}|whsec_|svc_live_/);
      expect(answered.getSetCookie()).toEqual([]);
    }
    expect(await readState()).toEqual(before);
  }

  const requestsOf = (operations: typeof CONSOLE_OPERATIONS, side: ConsoleSide) =>
    operations.flatMap((operation) => consoleRequests(operation, side));

  test('gives or changes what belongs to another company [AUTH-6, EVENT-6, REPLAY-4, WEBHOOK-10]', async () => {
    const cookie = await newCookie(own);
    await expectRefused(
      requestsOf(ON_ONE, other),
      { cookie, origin: ownOrigin },
      { status: 404, code: 'not_found' },
    );
    const ids = [...Object.values(other.ids), other.company.id];
    for (const request of requestsOf(
      READS.filter((read) => !ON_ONE.includes(read)),
      own,
    )) {
      const { status, text } = await sendTo(request, { cookie });
      expect([request.path, status, ids.filter((id) => text.includes(id))]).toEqual([request.path, 200, []]);
    }
  });

  test('lets a technician in [AUTH-6, SESSION-1]', async () => {
    const email = `${newId('mem')}@technicians.example`;
    await stack.database.query(
      `insert into memberships (id, company_id, role, display_name, email, password_hash)
       select $1, company_id, 'TECHNICIAN', 'Tess Technician', $2, password_hash from memberships
       where company_id = $3 and role = 'OWNER' and password_hash is not null limit 1`,
      [newId('mem'), email, own.company.id],
    );
    const { password } = own.company.owner;
    const login = { method: 'POST', path: '/partner-api/session', body: { email, password } };
    await expectRefused([login], { origin: ownOrigin }, { status: 403, code: 'permission_denied' });
  });

  test('takes an API key for a session [AUTH-6]', async () => {
    const headers = { 'x-api-key': own.apiKey, authorization: `Bearer ${own.apiKey}`, origin: ownOrigin };
    const refusal = { status: 401, code: 'unauthenticated' };
    await expectRefused(requestsOf(WITH_SESSION, own), headers, refusal);
    const name = (await newCookie(own)).split('=')[0] ?? '';
    const asCookie = { cookie: `${name}=${own.apiKey}`, origin: ownOrigin };
    await expectRefused(requestsOf(WITH_SESSION, own), asCookie, refusal);
  });

  test.each([
    ['the page of another site', { origin: 'https://elsewhere.example' }],
    ['a page that hides where it comes from', { origin: 'null' }],
    ['no page at all', {}],
  ])('changes something for %s [SESSION-2]', async (_, headers) => {
    const cookie = await newCookie(own);
    const refusal = { status: 403, code: 'permission_denied' };
    await expectRefused(requestsOf(WRITES, own), { cookie, ...headers }, refusal);
  });

  test('lets the page of another site read its response [SESSION-2]', async () => {
    const cookie = await newCookie(own);
    for (const request of requestsOf(READS, own)) {
      const { headers } = await sendTo(request, { cookie, origin: 'https://elsewhere.example' });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      const asked = await sendTo(
        { ...request, method: 'OPTIONS' },
        { origin: 'https://elsewhere.example', 'access-control-request-method': 'GET' },
      );
      expect(asked.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
}
