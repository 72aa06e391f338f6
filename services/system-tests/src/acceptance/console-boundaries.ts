import { beforeAll, expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { sendCall } from '@partner/test-kit/http-call';
import {
  type ConsoleRequest,
  consoleRequests,
  type ConsoleSide,
  createConsoleSide,
  readEverything,
  readSessionIds,
} from '../surfaces/console-side.js';
import { signIn } from '../support/owner-session.js';
import type { AcceptanceWorld } from './acceptance-world.js';

const ON_ONE = CONSOLE_OPERATIONS.filter(({ path }) => path.includes(':id'));
const READS = CONSOLE_OPERATIONS.filter(({ method }) => method === 'get');

/** What an owner and the page of another site can do at the console to what is not theirs: nothing. */
export function describeConsoleBoundaries(world: () => AcceptanceWorld): void {
  let own: ConsoleSide;
  let other: ConsoleSide;

  beforeAll(async () => {
    const { stack } = world();
    own = await createConsoleSide(stack, stack.company('INSTALLER', 0));
    other = await createConsoleSide(stack, stack.company('INSTALLER', 1));
  });

  const send = ({ path, ...request }: ConsoleRequest, headers: Readonly<Record<string, string>>) =>
    sendCall(world().stack.baseUrl, path, { ...request, headers });

  test('gives or changes what belongs to another company, or lets another site read what is its own [AUTH-6, EVENT-6, REPLAY-4, WEBHOOK-10]', async () => {
    const { stack } = world();
    const { headers } = await signIn(stack.baseUrl, own.company.owner);
    const readState = async () => ({
      everything: await readEverything(stack.database),
      sessions: [await readSessionIds(own.session), await readSessionIds(other.session)],
    });
    const before = await readState();
    for (const request of ON_ONE.flatMap((operation) => consoleRequests(operation, other))) {
      const { status, text, headers: responseHeaders } = await send(request, headers);
      expect([request.method, request.path, status, /"code":"(\w+)"/.exec(text)?.[1]]).toEqual([
        request.method,
        request.path,
        404,
        'not_found',
      ]);
      // Nothing of anyone: neither ids nor names, and no session.
      expect(text).not.toMatch(/(whk|dlv|evt|rpl|key|ses|aud|cmp|mem)_[0-9a-z]{26}|whsec_|svc_live_/);
      expect(responseHeaders.getSetCookie()).toEqual([]);
    }
    expect(await readState()).toEqual(before);
    const ids = [...Object.values(other.ids), other.company.id];
    const lists = READS.filter((operation) => !ON_ONE.includes(operation));
    for (const request of lists.flatMap((operation) => consoleRequests(operation, own))) {
      const read = await send(request, { cookie: headers.cookie, origin: 'https://elsewhere.example' });
      expect([request.path, read.status, ids.filter((id) => read.text.includes(id))]).toEqual([
        request.path,
        200,
        [],
      ]);
      expect(read.headers.get('access-control-allow-origin')).toBeNull();
    }
  });
}
