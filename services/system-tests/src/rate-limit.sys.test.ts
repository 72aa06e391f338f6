import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ServiceName } from '@partner/local-stack/stack/services';
import { eventually } from '@partner/test-kit/eventually';
import {
  acceptedOf,
  mostAcceptedInAnyMinute,
  type TimedResponse,
  wrongWaits,
} from './support/limit-evidence.js';
import { callTimed, sendTimes, sendUntil } from './support/limit-load.js';
import { addCompany, type AddedCompany } from './support/companies.js';
import { readMetric } from './support/replica-metrics.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const INSTALLER_LIMIT = 60;
const INBOUND_LIMIT = 600;
const GRANTED_LIMIT = 150;
const SMALL_LIMIT = 5;

/** After which the load is given up: the assertions then say what is missing. */
const GIVE_UP_MS = 100_000;

/** What a limit adds to a wait of 60 seconds at most. */
const LONGEST_WAIT_MS = 60_020;

const SURFACES = ['installer-gateway', 'inbound-gateway'] as const satisfies readonly ServiceName[];

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({
    parts: { kind: 'private', durable: false },
    replicas: { 'installer-gateway': 2, 'inbound-gateway': 2 },
  });
});

afterAll(async () => {
  await stack.stop();
});

/** The addresses of a service's replicas. */
function replicasOf(service: ServiceName): readonly { readonly url: string; readonly adminUrl: string }[] {
  const { services } = stack.stack.description;
  return [service, `${service}-2`].map((name) => {
    const { url = '', adminUrl = '' } = services[name] ?? {};
    return { url, adminUrl };
  });
}

function sumOverReplicas(
  service: ServiceName,
  metric: string,
  labels: Readonly<Record<string, string>>,
): Promise<number[]> {
  return Promise.all(replicasOf(service).map(({ adminUrl }) => readMetric(adminUrl, metric, labels)));
}

function inTurn<T>(values: readonly T[], turn: number): T {
  const value = values[turn % values.length];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
}

/** Asks for the feed with the company's keys in turn. */
function askFeed(company: AddedCompany, baseUrl = stack.baseUrl): (turn: number) => Promise<TimedResponse> {
  return (turn) =>
    callTimed(baseUrl, '/partner/v1/jobs?limit=1', {
      headers: { 'x-api-key': inTurn(company.apiKeys, turn) },
    });
}

/** Hands in leads with the company's keys in turn, at fifty addresses. */
function handInLead(
  company: AddedCompany,
  baseUrl = stack.baseUrl,
): (turn: number) => Promise<TimedResponse> {
  return (turn) =>
    callTimed(baseUrl, '/inbound/leads', {
      method: 'POST',
      headers: { 'x-api-key': inTurn(company.apiKeys, turn) },
      body: {
        fullName: 'Ada Lovelace',
        email: 'ada@example.com',
        phone: '+1 512 555 0100',
        address: `${100 + (turn % 50)} Main Street, Austin, TX 78701`,
      },
    });
}

/** Whether a `retry-after` is a whole number of seconds, at least one. */
function isWholeSeconds(retryAfter: string | null): boolean {
  return /^[1-9]\d*$/.test(retryAfter ?? '');
}

function addInstaller(installerRequestsPerMinute?: number): Promise<AddedCompany> {
  return addCompany(stack.database, {
    class: 'INSTALLER',
    keys: ['installer-company', 'installer-company', 'installer-company'],
    ...(installerRequestsPerMinute === undefined ? {} : { installerRequestsPerMinute }),
  });
}

function addSeller(boundCompanyId: string): Promise<AddedCompany> {
  return addCompany(stack.database, {
    class: 'SALES',
    // The last one lacks the scope for leads: its requests are refused with 403, after they were counted.
    keys: ['general', 'general', 'installer-contractor'],
    boundCompanyId,
  });
}

/**
 * Takes half of a limit slowly and the rest fast, and goes on until as much was let through again: the first half leaves
 * the minute one by one while the second still counts.
 */
async function loadOverAMinute(
  limit: number,
  send: (turn: number) => Promise<TimedResponse>,
): Promise<TimedResponse[]> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  const slowly = await sendUntil({
    senders: limit / 20,
    pauseMs: 300,
    send,
    isOver: (answers) => answers.length >= limit / 2,
  });
  const fast = await sendUntil({
    senders: limit === INBOUND_LIMIT ? 12 : 4,
    pauseMs: 80,
    send,
    isOver: (answers) =>
      acceptedOf([...slowly, ...answers]).length >= 2 * limit || performance.now() > giveUpAt,
  });
  return [...slowly, ...fast];
}

interface SmallLimitStory {
  readonly taken: readonly TimedResponse[];
  readonly refused: TimedResponse;
  readonly early: readonly TimedResponse[];
  readonly afterTheWait: TimedResponse;
  readonly rest: readonly TimedResponse[];
}

/** Uses up a small limit over both replicas, asks too early again and again, then waits as long as was asked. */
async function useUpSmallLimit(company: AddedCompany): Promise<SmallLimitStory> {
  const urls = replicasOf('installer-gateway').map(({ url }) => url);
  const [apiKey = ''] = company.apiKeys;
  let turn = 0;
  const send = (path = '/partner/v1/jobs') =>
    callTimed(inTurn(urls, turn++), path, { headers: { 'x-api-key': apiKey } });
  const taken = [
    await send(),
    await send('/partner/v1/jobs/job_unknown'),
    await send('/partner/v1/jobs?limit=0'),
    await send('/partner/v1/jobs?cursor=invented'),
    await send(),
  ];
  const refused = await send();
  const waitMs = Number(refused.retryAfter) * 1_000;
  const early = await sendUntil({
    senders: 1,
    pauseMs: 200,
    send: () => send(),
    // So long before the end of the wait that no stall of the machine can carry a request over it.
    isOver: () => performance.now() > refused.sentAt + waitMs / 2,
  });
  await waitUntil(refused.answeredAt + waitMs);
  const afterTheWait = await send();
  await waitUntil(Math.max(...taken.map(({ answeredAt }) => answeredAt)) + LONGEST_WAIT_MS);
  const rest: TimedResponse[] = [];
  for (let request = 0; request < SMALL_LIMIT; request += 1) rest.push(await send());
  return { taken, refused, early, afterTheWait, rest };
}

async function waitUntil(instant: number): Promise<void> {
  while (performance.now() < instant) {
    await new Promise((resolve) => setTimeout(resolve, instant - performance.now() + 1));
  }
}

describe('two replicas of each gateway with Redis', () => {
  let installer: TimedResponse[];
  let inbound: TimedResponse[];
  let granted: TimedResponse[];
  let neighbour: TimedResponse[];
  let small: SmallLimitStory;

  beforeAll(async () => {
    const [flooding, grantedCompany, neighbouring, smallCompany] = await Promise.all([
      addInstaller(),
      addInstaller(GRANTED_LIMIT),
      addInstaller(),
      addInstaller(SMALL_LIMIT),
    ]);
    const seller = await addSeller(flooding.id);
    [installer, inbound, [granted, neighbour], small] = await Promise.all([
      loadOverAMinute(INSTALLER_LIMIT, askFeed(flooding)),
      loadOverAMinute(INBOUND_LIMIT, handInLead(seller)),
      Promise.all([
        sendTimes(GRANTED_LIMIT + 40, askFeed(grantedCompany)),
        sendTimes(INSTALLER_LIMIT + 20, askFeed(neighbouring)),
      ]),
      useUpSmallLimit(smallCompany),
    ]);
  });

  test('count together and never on their own', async () => {
    for (const service of SURFACES) {
      const metric = 'partner_rate_limit_decisions_total';
      const [shared, local] = await Promise.all([
        sumOverReplicas(service, metric, { outcome: 'accepted', counted: 'shared' }),
        sumOverReplicas(service, metric, { counted: 'local' }),
      ]);
      for (const accepted of shared) expect(accepted).toBeGreaterThan(0);
      expect(local).toEqual([0, 0]);
    }
  });

  test('accept 60 requests of an installer company in a minute and never more in any [LIMIT-1, LIMIT-6]', () => {
    expect(acceptedOf(installer).length).toBeGreaterThanOrEqual(2 * INSTALLER_LIMIT);
    expect(mostAcceptedInAnyMinute(installer)).toBe(INSTALLER_LIMIT);
  });

  test('accept 600 requests of a company on the inbound surface in a minute, all its keys together, and never more in any [LIMIT-2]', () => {
    expect(acceptedOf(inbound).length).toBeGreaterThanOrEqual(2 * INBOUND_LIMIT);
    expect(mostAcceptedInAnyMinute(inbound)).toBe(INBOUND_LIMIT);
    expect(new Set(inbound.map(({ status }) => status))).toEqual(new Set([200, 201, 403, 429]));
  });

  test('accept as many as a company was granted [LIMIT-4, LIMIT-6]', () => {
    expect(acceptedOf(granted)).toHaveLength(GRANTED_LIMIT);
  });

  test('let one company not feel the others', () => {
    expect(acceptedOf(neighbour)).toHaveLength(INSTALLER_LIMIT);
  });

  test('say exactly how long to wait, to the second [ERROR-9, LIMIT-6]', () => {
    for (const answers of [installer, inbound, granted, neighbour]) {
      const refusals = answers.filter(({ status }) => status === 429);
      expect(refusals.length).toBeGreaterThan(0);
      expect(refusals.filter(({ retryAfter }) => !isWholeSeconds(retryAfter))).toEqual([]);
      expect(wrongWaits(answers)).toEqual([]);
    }
    const { taken, refused, early, afterTheWait } = small;
    expect(taken.map(({ status }) => status)).toEqual([200, 404, 400, 400, 200]);
    expect(refused.status).toBe(429);
    expect(isWholeSeconds(refused.retryAfter)).toBe(true);
    expect(early.length).toBeGreaterThan(0);
    expect(acceptedOf(early)).toEqual([]);
    expect(afterTheWait.status).toBe(200);
  });

  test('charge nothing for what they refuse [LIMIT-6]', () => {
    // Of the five that the limit lets through the one after the wait still counts; the many early ones never did.
    expect(small.rest.map(({ status }) => status)).toEqual([200, 200, 200, 200, 429]);
  });

  test.each([
    ['the installer surface', INSTALLER_LIMIT, () => installer],
    ['the inbound surface', INBOUND_LIMIT, () => inbound],
    ['a company with a granted limit', GRANTED_LIMIT, () => granted],
    ['every kind of answer', SMALL_LIMIT, () => [...small.taken, small.refused, ...small.early]],
  ])('tell the limit and what is left of it on %s', (_, limit, answersOf) => {
    const isTold = ({ status, rateLimitPolicy, rateLimit, retryAfter }: TimedResponse) => {
      const [, remaining, reset] = /^"default";r=(\d+);t=(\d+)$/.exec(rateLimit ?? '') ?? [];
      return (
        rateLimitPolicy === `"default";q=${limit};w=60` &&
        Number(remaining) < limit &&
        Number(reset) >= 1 &&
        Number(reset) <= 60 &&
        (status === 429 ? remaining === '0' : retryAfter === null)
      );
    };
    expect(answersOf().filter((answer) => !isTold(answer))).toEqual([]);
  });
});

describe('two replicas of each gateway while Redis hangs', () => {
  const loads: TimedResponse[][] = [];
  const shares = new Map<string, TimedResponse[][]>();
  let usedUp: TimedResponse[];
  let installerAfter: TimedResponse[][];
  let countedAlone: number[];

  async function untilDegraded(isDegraded: boolean): Promise<void> {
    await Promise.all(
      SURFACES.flatMap(replicasOf).map(({ adminUrl }) =>
        eventually(
          `partner_rate_limiter_degraded ${isDegraded ? 1 : 0} of ${adminUrl}`,
          async () => (await readMetric(adminUrl, 'partner_rate_limiter_degraded')) === (isDegraded ? 1 : 0),
        ),
      ),
    );
  }

  const localDecisions = () =>
    sumOverReplicas('installer-gateway', 'partner_rate_limit_decisions_total', { counted: 'local' });

  beforeAll(async () => {
    const [loaded, uneven, fresh, freshAfter] = await Promise.all([
      addInstaller(),
      addInstaller(),
      addInstaller(),
      addInstaller(),
    ]);
    const [loadedSeller, freshSeller] = await Promise.all([addSeller(loaded.id), addSeller(loaded.id)]);
    const redis = stack.stack.process('redis');
    let isEnough = false;
    const startLoad = (send: (turn: number) => Promise<TimedResponse>) => {
      let refusals = 0;
      const answers = sendUntil({
        senders: 6,
        pauseMs: 20,
        send,
        isOver: (soFar) => {
          refusals = soFar.length - acceptedOf(soFar).length;
          return isEnough;
        },
      });
      return { answers, isRefused: () => refusals > 20 };
    };
    const running = [startLoad(askFeed(loaded)), startLoad(handInLead(loadedSeller))];
    try {
      await Promise.all(running.map(({ isRefused }) => eventually('the load is over its limit', isRefused)));
      const [one, other] = replicasOf('installer-gateway');
      await sendTimes(INSTALLER_LIMIT, askFeed(uneven, one?.url));
      await sendTimes(1, askFeed(uneven, other?.url));
      await redis.kill('SIGSTOP');
      await untilDegraded(true);

      usedUp = await sendTimes(20, askFeed(uneven, other?.url));
      const sendTo = (service: ServiceName, times: number, sendBy: typeof askFeed, company: AddedCompany) =>
        Promise.all(replicasOf(service).map(({ url }) => sendTimes(times, sendBy(company, url))));
      shares.set('installer-gateway', await sendTo('installer-gateway', 40, askFeed, fresh));
      shares.set('inbound-gateway', await sendTo('inbound-gateway', 320, handInLead, freshSeller));

      await redis.kill('SIGCONT');
      await untilDegraded(false);
      const before = await localDecisions();
      installerAfter = await sendTo('installer-gateway', 40, askFeed, freshAfter);
      countedAlone = (await localDecisions()).map((after, replica) => after - (before[replica] ?? 0));
    } finally {
      await redis.kill('SIGCONT');
      isEnough = true;
      loads.push(...(await Promise.all(running.map(({ answers }) => answers))));
    }
  });

  test('answer every request, and none with a fault of the service [LIMIT-6]', () => {
    const all = [...loads, ...[...shares.values()].flat(), usedUp, ...installerAfter].flat();
    expect([...new Set(all.map(({ status }) => status))].sort()).toEqual([200, 201, 403, 429]);
  });

  test.each([
    ['installer-gateway', INSTALLER_LIMIT],
    ['inbound-gateway', INBOUND_LIMIT],
  ])('let each replica of %s accept its share of a limit [LIMIT-6]', (service, limit) => {
    const accepted = shares.get(service)?.map((answers) => acceptedOf(answers).length);
    expect(accepted).toEqual([limit / 2, limit / 2]);
  });

  test('let a replica accept nothing of a limit that the other one has used up', () => {
    expect(acceptedOf(usedUp)).toEqual([]);
  });

  test('still tell the limit, and a whole number of seconds to wait', () => {
    const answers = shares.get('installer-gateway')?.flat() ?? [];
    const isTold = ({ status, rateLimitPolicy, retryAfter }: TimedResponse) =>
      rateLimitPolicy === `"default";q=${INSTALLER_LIMIT};w=60` &&
      (status === 429 ? isWholeSeconds(retryAfter) : retryAfter === null);
    expect(answers.filter((answer) => !isTold(answer))).toEqual([]);
  });

  test('accept no more than the limit in any minute, from before Redis hung until it was back', () => {
    expect(loads.map(mostAcceptedInAnyMinute)).toEqual([INSTALLER_LIMIT, INBOUND_LIMIT]);
  });

  test('count together again once Redis is back', () => {
    expect(acceptedOf(installerAfter.flat())).toHaveLength(INSTALLER_LIMIT);
    expect(countedAlone).toEqual([0, 0]);
  });
});
