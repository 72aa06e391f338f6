import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { eventually } from '@partner/test-kit/eventually';
import type { HttpResponse } from '@partner/test-kit/http-call';
import { call } from './support/http-call.js';
import { signIn } from './support/owner-session.js';
import { readMetric } from './support/replica-metrics.js';
import { apiKeyOf, startTestStack, type TestStack } from './support/test-stack.js';

let stack: TestStack;
let adminUrl: string;
let company: SandboxCompany;
let owner: SandboxCompany['owner'];

beforeAll(async () => {
  stack = await startTestStack({ parts: { kind: 'private', durable: false } });
  adminUrl = stack.stack.description.services['console']?.adminUrl ?? '';
  company = stack.company('INSTALLER');
  owner = company.owner;
});

afterAll(async () => {
  await stack.stop();
});

const isSessionRedisUp = () => readMetric(adminUrl, 'partner_console_session_redis_up');

async function expectUnavailable(answer: HttpResponse): Promise<void> {
  expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/** The pages that need no backing service. */
async function expectPagesServed(): Promise<void> {
  for (const path of ['/docs', '/openapi.json', '/console']) {
    expect((await fetch(new URL(path, stack.baseUrl))).status).toBe(200);
  }
}

test('gateways and console stay ready without the broker, and respond [HTTP-18, HTTP-20]', async () => {
  const { description, process } = stack.stack;
  const surfaces = ['inbound-gateway', 'installer-gateway', 'console'].map(
    (name) => description.services[name]?.adminUrl ?? '',
  );
  const readiness = async (url: string) => {
    const response = await fetch(`${url}/readyz`);
    return { status: response.status, body: await response.text() };
  };
  const session = await signIn(stack.baseUrl, owner);
  const rabbitmq = process('rabbitmq');
  await rabbitmq.kill('SIGKILL');
  try {
    for (const url of surfaces) {
      await eventually('the loss is known', async () => (await readiness(url)).body.includes(':false'));
      expect((await readiness(url)).status).toBe(200);
    }
    await expectPagesServed();
    await expectUnavailable(await session.call('GET', '/partner-api/webhooks'));
    const headers = { 'x-api-key': apiKeyOf(company, 'installer-company') };
    await expectUnavailable(await call(stack.baseUrl, '/partner/v1/technicians', { headers }));
  } finally {
    await rabbitmq.start();
    await rabbitmq.ready();
  }
  await eventually('job-state responds', async () => {
    return (await session.call('GET', '/partner-api/webhooks')).status === 200;
  });
});

test('while Redis hangs, the console responds with 503 where a session is needed and all else as ever, gateways too [LIMIT-6, SESSION-5]', async () => {
  const session = await signIn(stack.baseUrl, owner);
  const redis = stack.stack.process('redis');
  await redis.kill('SIGSTOP');
  try {
    await eventually('the console knows that Redis is away', async () => (await isSessionRedisUp()) === 0);
    expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
    await expectPagesServed();
    const headers = { 'x-api-key': apiKeyOf(company, 'installer-company') };
    expect((await call(stack.baseUrl, '/partner/v1/technicians', { headers })).status).toBe(200);
    await expectUnavailable(await session.call('GET', '/partner-api/webhooks'));
    await expectUnavailable(
      await call(stack.baseUrl, '/partner-api/session', {
        method: 'POST',
        headers: { origin: session.headers.origin },
        body: owner,
      }),
    );
  } finally {
    await redis.kill('SIGCONT');
  }
  await eventually('the console reaches Redis', async () => (await isSessionRedisUp()) === 1);
  expect((await session.call('GET', '/partner-api/session')).status).toBe(200);
});

test('the console starts without Redis, and is ready [SESSION-5]', async () => {
  const redis = stack.stack.process('redis');
  const console = stack.stack.process('console');
  await redis.kill('SIGKILL');
  try {
    await console.kill('SIGKILL');
    await console.start();
    await console.ready();
    expect((await fetch(new URL('/docs', stack.baseUrl))).status).toBe(200);
  } finally {
    await redis.start();
    await redis.ready();
  }
  await eventually('the console reaches Redis', async () => (await isSessionRedisUp()) === 1);
  await signIn(stack.baseUrl, owner);
});
