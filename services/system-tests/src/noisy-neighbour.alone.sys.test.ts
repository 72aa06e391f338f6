import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { eventually } from '@partner/test-kit/eventually';
import { type Call, sendCall } from '@partner/test-kit/http-call';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { addOwner } from './support/companies.js';
import { createActiveSubscription } from './support/owner-session.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

type Send = (turn: number) => Promise<{ readonly status: number }>;

/** Calls of a hostile caller, and those of another one meanwhile. */
interface Contest {
  readonly hostile: Send;
  /** Number of hostile calls: ten times the limit. */
  readonly calls: number;
  readonly atOnce: number;
  readonly neighbour: Send;
}

const NEIGHBOUR_CALLS = 20;

/** DNS servers that never respond: each lookup there takes 3 s. */
const silentDns = createSocket('udp4');
let stack: TestStack;

beforeAll(async () => {
  silentDns.bind(0, '127.0.0.1');
  await once(silentDns, 'listening');
  stack = await startTestStack({
    settings: { 'webhook-dispatcher': { DNS_SERVERS: `127.0.0.1:${silentDns.address().port}` } },
  });
});

afterAll(async () => {
  await stack.stop();
  silentDns.close();
});

function withKey(path: string, apiKey = ''): Send {
  return () => sendCall(stack.baseUrl, path, { headers: { 'x-api-key': apiKey } });
}

async function readers(
  company: Parameters<typeof addCompany>[1],
  path: string,
  limitPerMinute: number,
): Promise<Contest> {
  const [hostile, neighbour] = await Promise.all([1, 2].map(() => addCompany(stack.database, company)));
  return {
    hostile: withKey(path, hostile?.apiKeys[0]),
    calls: 10 * limitPerMinute,
    atOnce: 50,
    neighbour: withKey(path, neighbour?.apiKeys[0]),
  };
}

const installers = () =>
  readers(
    { class: 'INSTALLER', keys: ['installer-company'] },
    '/partner/v1/jobs',
    LIMITS.installerRequestsPerMinute,
  );

const sellers = () =>
  readers(
    { class: 'SALES', keys: ['installer-contractor'], boundCompanyId: stack.company('INSTALLER').id },
    '/inbound/jobs',
    LIMITS.inboundRequestsPerMinute,
  );

/** The hostile owner checks URLs, and changes one, to names whose DNS servers do not respond. */
async function owners(): Promise<Contest> {
  const owner = async () => {
    const { id } = await addCompany(stack.database, { class: 'INSTALLER', keys: [] });
    const session = await addOwner(stack, id);
    const webhook = await createActiveSubscription(session, {
      url: stack.receiverUrl,
      events: ['install.*'],
    });
    return { session, path: `/partner-api/webhooks/${webhook.id}` };
  };
  const [hostile, neighbour] = await Promise.all([owner(), owner()]);
  const url = (turn: number) => `https://host-${turn}.example.com/`;
  return {
    hostile: (turn) =>
      turn % 2 === 0
        ? hostile.session.call('POST', '/partner-api/url-checks', { url: url(turn) })
        : hostile.session.call('PATCH', hostile.path, { url: url(turn) }),
    calls: 20 * LIMITS.urlChecksPerMinute,
    atOnce: 400,
    neighbour: (turn) =>
      turn % 2 === 0
        ? neighbour.session.call('GET', neighbour.path)
        : neighbour.session.call('PATCH', neighbour.path, { url: `${stack.receiverUrl}?${turn}` }),
  };
}

/** The hostile client guesses passwords of invented owners and of the neighbour. */
async function signIns(): Promise<Contest> {
  const { owner } = stack.company('SALES');
  const { console: service } = stack.stack.description.services;
  const signInFrom = (address: string, body: Call['body']) =>
    sendCall(service?.url ?? '', '/partner-api/session', {
      method: 'POST',
      headers: { origin: new URL(stack.baseUrl).origin, 'x-forwarded-for': address },
      body,
    });
  return {
    hostile: (turn) => {
      const email = turn % 2 === 0 ? `owner-${turn}@owners.example` : owner.email;
      return signInFrom('198.51.100.7', { email, password: `guess ${turn}` });
    },
    // Ten times the failures that one network has in 15 minutes.
    calls: 500,
    atOnce: 100,
    neighbour: () => signInFrom('203.0.113.7', owner),
  };
}

test.each([
  ['the installer surface', installers],
  ['the inbound surface', sellers],
  ['the console', owners],
  ['the sign-in', signIns],
])(
  '%s serves every call of one caller while another sends ten times its limit [LIMIT-8]',
  async (_, prepare) => {
    const contest = await prepare();
    const statuses: number[] = [];
    const refused = () => statuses.filter((status) => status === 429 || status === 503);
    let next = 0;
    const sendInTurn = async () => {
      while (next < contest.calls) statuses.push((await contest.hostile(next++)).status);
    };
    const hostile = Promise.all(Array.from({ length: contest.atOnce }, sendInTurn));
    await eventually('the hostile caller is over its limit', () => refused().length > 0);
    const served: number[] = [];
    for (let turn = 0; turn < NEIGHBOUR_CALLS; turn += 1) served.push((await contest.neighbour(turn)).status);
    await hostile;
    expect(served).toEqual(Array.from({ length: NEIGHBOUR_CALLS }, () => 200));
    expect(statuses).toHaveLength(contest.calls);
  },
);
