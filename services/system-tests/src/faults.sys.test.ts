import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceName, serviceOf } from '@partner/local-stack/stack/services';
import type { SandboxCompany } from '@partner/local-stack/stack/stack-description';
import { QUEUES } from '@partner/proto-contracts/topology';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { SEED } from '@partner/test-kit/seeded-random';
import { checkHistory } from './deliveries/check-history.js';
import type { AcknowledgedWrite } from './deliveries/delivery-history.js';
import { type DoneFault, playFaults, timelineOf } from './deliveries/fault-mix.js';
import { planFaults, PURGED_QUEUES } from './deliveries/fault-plan.js';
import { playDeliveries, startDeliveryStack } from './deliveries/play-deliveries.js';
import { soakFigures, watchMemory } from './deliveries/soak-figures.js';
import { soakReport } from './deliveries/soak-report.js';
import { call } from './support/http-call.js';
import { signIn } from './support/owner-session.js';
import { readMetric } from '@partner/test-kit/read-metric';
import { apiKeyOf, type TestStack } from './support/test-stack.js';

/** Of `scripts/soak`; absent: a minute with every fault. */
const HOURS = Number(process.env['SOAK_HOURS'] ?? 0);
const IS_SOAK = HOURS > 0;
const SPAN_MS = (IS_SOAK ? HOURS * 60 : 1) * 60_000;
const HAS_FAULTS = !IS_SOAK || process.env['SOAK_FAULTS'] !== undefined;
/** What a night may cost. */
const MAX_TWICE = 1 / 10_000;
const MAX_RETURN_MS = 15_000;
/** Before the first fault, when every event is delivered exactly once; longer than 8 attempts take. */
const CALM_MS = 15_000;
/** For the leases that were lost, and the retries of what always fails. */
const TIMEOUT_MS = 240_000;
/** So that a run without them does not pass for one that has checked them. */
const COUNTS = `
  select count(*)::int as deliveries, count(bulk_replay_id)::int as back_filled,
    (count(*) filter (where state = 'dead_lettered'))::int as dead_lettered
  from finished_deliveries`;
const REPEAT = IS_SOAK
  ? `scripts/soak${HAS_FAULTS ? ' --faults' : ''} --hours ${HOURS} --seed ${SEED}`
  : `scripts/test faults --only sys --seed ${SEED}`;
/** Where a report goes, if anywhere. */
const REPORT = process.env['SOAK_REPORT'];

let stack: TestStack;

beforeAll(async () => {
  stack = await startDeliveryStack(SEED);
});

afterAll(async () => {
  await stack.stop();
});

test(
  'delivers every event once or dead-letters it after 8 attempts; whatever then dies, hangs or loses its messages, no acknowledged write and no event is lost, without an operator [DELIVERY-1, DELIVERY-3, DELIVERY-8, DELIVERY-9, ERROR-10, HTTP-18, SECRET-6, WEBHOOK-5]',
  async () => {
    process.stdout.write(`faults: ${REPEAT}\n`);
    const done: DoneFault[] = [];
    const memory = watchMemory(stack.stack);
    try {
      const history = await playDeliveries(stack, {
        seed: SEED,
        spanMs: CALM_MS + SPAN_MS,
        finishWithinMs: TIMEOUT_MS,
        moves: true,
        faults: async () => {
          await delay(CALM_MS);
          const plan = planFaults(SEED, SPAN_MS, IS_SOAK ? 'night' : 'storm');
          if (HAS_FAULTS) await playFaults(stack.stack, plan, (fault) => done.push(fault));
          return done;
        },
      });
      const [deliveries] = (await stack.database.query<Record<string, number>>(COUNTS)).rows;
      const [writes, posts] = [history.writes.length, history.requests.length];
      process.stdout.write(`faults: ${JSON.stringify({ writes, posts, ...deliveries })}\n`);
      const violations = await checkHistory(stack.database, history);
      const run = { history, violations, faults: done };
      const figures = soakFigures({ ...run, memory: memory.stop() });
      process.stdout.write(`faults: ${JSON.stringify({ ...figures, repeats: undefined })}\n`);
      if (REPORT !== undefined)
        writeFileSync(REPORT, soakReport({ ...run, title: REPEAT, counts: { ...deliveries }, figures }));
      expect(violations).toEqual([]);
      if (IS_SOAK) {
        expect(figures.twice / figures.taken).toBeLessThanOrEqual(MAX_TWICE);
        expect(figures.longestReturnMs).toBeLessThanOrEqual(MAX_RETURN_MS);
      }
      expect(deliveries?.['dead_lettered']).toBeGreaterThan(0);
      expect(deliveries?.['back_filled']).toBeGreaterThan(0);
      const versions = new Set(history.requests.map(({ headers }) => headers['x-svc-secret-version']));
      expect(versions.size).toBeGreaterThanOrEqual(3);
      await waitUntilPlatformReceives(history.writes);
    } catch (error) {
      memory.stop();
      process.stdout.write(`faults: again with ${REPEAT}\n${timelineOf(done)}\n`);
      throw error;
    }
  },
  CALM_MS + SPAN_MS + 2 * TIMEOUT_MS + 600_000,
);

test('the faults purge every queue but the two that hold what was confirmed to or by the platform', () => {
  const kept = QUEUES.map(({ name }) => name).filter((name) => !PURGED_QUEUES.some((one) => one === name));
  expect(kept).toEqual(['job-state.platform-messages', 'platform.partner-events']);
});

/** The platform receives each acknowledged status, from a queue that no fault purges. */
async function waitUntilPlatformReceives(writes: readonly AcknowledgedWrite[]): Promise<void> {
  const reported = writes.flatMap(({ tells }) =>
    tells.filter(({ name }) => name === 'install.status_changed'),
  );
  const missing = () => {
    const received = new Set(
      stack.receivedStatusChanges.map(({ jobId = '', version = 0 }) => `${jobId} ${version}`),
    );
    return reported.filter((one) => !received.has(`${one.resourceId} ${one.resourceVersion}`));
  };
  await eventually(
    () => `the platform receives ${JSON.stringify(missing())}`,
    () => missing().length === 0,
    { timeoutMs: TIMEOUT_MS, everyMs: 100 },
  );
}

describe('without a backing service', () => {
  let adminUrl: string;
  let company: SandboxCompany;
  let owner: SandboxCompany['owner'];

  beforeAll(() => {
    adminUrl = stack.stack.description.services['console']?.adminUrl ?? '';
    company = stack.company('INSTALLER');
    ({ owner } = company);
  });

  const replicasOf = (service: ServiceName) =>
    Object.entries(stack.stack.description.services).flatMap(([name, replica]) =>
      serviceOf(name) === service ? [replica] : [],
    );

  /** 0 once all replicas know that it is away, 1 once all have it. */
  async function isSessionRedisUp(): Promise<number | undefined> {
    const known = await Promise.all(
      replicasOf('console').map((replica) =>
        readMetric(replica.adminUrl, 'partner_console_session_redis_up'),
      ),
    );
    return known.every((value) => value === known[0]) ? known[0] : undefined;
  }

  async function expectUnavailable(response: HttpResponse): Promise<void> {
    expect(response).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }

  /** The pages that need no backing service. */
  async function expectPagesServed(): Promise<void> {
    for (const path of ['/docs', '/openapi.json', '/console/sign-in']) {
      expect((await sendCall(stack.baseUrl, path)).status).toBe(200);
    }
  }

  test('gateways and console stay ready without the broker, and respond [HTTP-18, HTTP-20]', async () => {
    const { process } = stack.stack;
    const surfaces = (['inbound-gateway', 'installer-gateway', 'console'] as const)
      .flatMap(replicasOf)
      .map((replica) => replica.adminUrl);
    const readiness = (url: string) => sendCall(url, '/readyz');
    // A service that the faults have started anew has to be ready once before it can stay so.
    for (const url of surfaces)
      await eventually('the service is ready', async () => (await readiness(url)).status === 200);
    const session = await signIn(stack.baseUrl, owner);
    const headers = { 'x-api-key': apiKeyOf(company, 'installer-company') };
    const rabbitmq = process('rabbitmq');
    await rabbitmq.kill('SIGKILL');
    try {
      for (const url of surfaces) {
        await eventually('the loss is known', async () =>
          (await readiness(url)).text.includes('"rabbitmq":false'),
        );
        expect((await readiness(url)).status).toBe(200);
      }
      await expectPagesServed();
      await expectUnavailable(await session.call('GET', '/partner-api/webhooks'));
      await expectUnavailable(await call(stack.baseUrl, '/partner/v1/technicians', { headers }));
    } finally {
      await rabbitmq.start();
      await rabbitmq.ready();
    }
    // Each of them connects again on its own.
    for (const [name, path, credentials] of [
      ['console', '/partner-api/webhooks', session.headers],
      ['installer-gateway', '/partner/v1/technicians', headers],
    ] as const)
      for (const { url = '' } of replicasOf(name))
        await eventually(`${name} reaches job-state`, async () => {
          return (await call(url, path, { headers: credentials })).status === 200;
        });
  });

  test('while Redis hangs, the console responds with 503 where a session is needed and all else as ever, gateways too [LIMIT-6, SESSION-5]', async () => {
    const session = await signIn(stack.baseUrl, owner);
    const redis = stack.stack.process('redis');
    await redis.kill('SIGSTOP');
    try {
      await eventually('the console knows that Redis is away', async () => (await isSessionRedisUp()) === 0);
      expect((await sendCall(adminUrl, '/readyz')).status).toBe(200);
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
});
