import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { addCompany } from './support/companies.js';
import { call } from './support/http-call.js';
import { readMetric } from './support/replica-metrics.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const LIMIT = 60;
const GRANTED_LIMIT = 150;
const SMALL_LIMIT = 5;
const AT_ONCE = 10;

let stack: TestStack;

beforeAll(async () => {
  stack = await startTestStack({ replicas: { 'installer-gateway': 2 } });
});

afterAll(() => stack.stop());

const replicas = () =>
  ['installer-gateway', 'installer-gateway-2'].map((name) => {
    const { url = '', adminUrl = '' } = stack.stack.description.services[name] ?? {};
    return { url, adminUrl };
  });

/** Adds a company, and returns a function that requests its feed, from the replicas and with its keys in turn. */
async function addInstaller(installerRequestsPerMinute?: number) {
  const { apiKeys } = await addCompany(stack.database, {
    class: 'INSTALLER',
    keys: ['installer-company', 'installer-company', 'installer-company'],
    ...(installerRequestsPerMinute === undefined ? {} : { installerRequestsPerMinute }),
  });
  let turn = 0;
  return (query = ''): Promise<HttpResponse> => {
    turn += 1;
    const { url = '' } = replicas()[turn % 2] ?? {};
    return call(url, `/partner/v1/jobs${query}`, { headers: { 'x-api-key': apiKeys[turn % 3] ?? '' } });
  };
}

async function sendTimes(times: number, send: () => Promise<HttpResponse>): Promise<HttpResponse[]> {
  const answers: HttpResponse[] = [];
  while (answers.length < times) {
    answers.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => send()))));
  }
  return answers;
}

/** Sends more requests than a limit. On a slow machine they can take longer than a minute, which allows the limit again. */
async function expectAccepted(limit: number, send: () => Promise<HttpResponse>): Promise<HttpResponse[]> {
  const startedAt = performance.now();
  const answers = await sendTimes(limit + 20, send);
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000);
  const accepted = answers.filter(({ status }) => status !== 429);
  expect(accepted.length).toBeGreaterThanOrEqual(limit);
  expect(accepted.length).toBeLessThanOrEqual(limit * minutes);
  return answers;
}

test('two replicas accept together 60 requests of a company with all its keys, or as many as it was granted [LIMIT-1, LIMIT-4, LIMIT-6]', async () => {
  const [standard, granted] = [await addInstaller(), await addInstaller(GRANTED_LIMIT)];
  const answers = await expectAccepted(LIMIT, standard);
  await expectAccepted(GRANTED_LIMIT, granted);
  for (const { status, headers } of answers) {
    expect(headers.get('ratelimit-policy')).toBe(`"default";q=${LIMIT};w=60`);
    expect(headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=([1-9]|[1-5]\d|60)$/);
    expect(headers.get('retry-after') === null).toBe(status !== 429);
  }
  const shared = replicas().map(({ adminUrl }) =>
    readMetric(adminUrl, 'partner_rate_limit_decisions_total', { outcome: 'accepted', counted: 'shared' }),
  );
  for (const accepted of await Promise.all(shared)) expect(accepted).toBeGreaterThan(0);
});

test('a refused company is accepted after exactly the seconds of retry-after, and not charged for what was refused [ERROR-9, HTTP-4, LIMIT-6]', async () => {
  const send = await addInstaller(SMALL_LIMIT);
  for (const query of ['', '?limit=0', '?cursor=invented', '', '']) {
    expect((await send(query)).status).not.toBe(429);
  }
  const refused = await send();
  const retryAfter = refused.headers.get('retry-after') ?? '';
  expect(retryAfter).toMatch(/^[1-9]\d*$/);
  expect(refused).toMatchObject({
    status: 429,
    json: {
      code: 'rate_limited',
      error: `too many requests: the limit is 5 requests a minute to the installer API; retry after ${retryAfter} seconds`,
    },
  });
  expect((await sendTimes(AT_ONCE, send)).map(({ status }) => status)).toEqual(
    Array.from({ length: AT_ONCE }, () => 429),
  );
  // The time that the response names is what is tested.
  await delay(Number(retryAfter) * 1_000);
  expect((await send()).status).toBe(200);
});
