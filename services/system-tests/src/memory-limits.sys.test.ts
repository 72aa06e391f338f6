import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { addOwner } from './support/companies.js';
import { chartMemory, createMemoryGroup, type MemoryGroup, peakMemory } from './support/memory-limit.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const SERVICES = ['console', 'inbound-gateway', 'installer-gateway'] as const;
type HttpService = (typeof SERVICES)[number];

/** Calls of the other caller in each part of a round. */
const CALLS = 60;
/** Time between two of them: as many as a partner may send. They do not wait for each other, so that each one sees a standstill. */
const CALL_EVERY_MS = 100;
const ROUNDS = 3;

interface Contest {
  /** Path that takes a body, and the headers of the hostile client. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A path whose responses the slow readers do not read. */
  readonly read: string;
  readonly other: () => Promise<HttpResponse>;
}

const groups = new Map<HttpService, MemoryGroup>();
let stack: TestStack;

const urlOf = (service: HttpService) => stack.stack.description.services[service]?.url ?? '';
const pidOf = (service: HttpService) => stack.stack.process(service).pid;

beforeAll(async () => {
  const settings = SERVICES.map(
    (service) =>
      [service, { NODE_OPTIONS: chartMemory(service).nodeOptions, RPC_TIMEOUT_MS: '20000' }] as const,
  );
  stack = await startTestStack({ settings: Object.fromEntries(settings) });
  for (const service of SERVICES) {
    const group = createMemoryGroup(`partner-${service}`, chartMemory(service).limitBytes);
    if (group === undefined) continue;
    groups.set(service, group);
    const process = stack.stack.process(service);
    await process.stop();
    await group.startingIn(() => process.start());
    await process.ready();
  }
});

afterAll(async () => {
  await stack.stop();
  for (const group of groups.values()) group.remove();
});

async function byKey(
  company: Parameters<typeof addCompany>[1],
  service: HttpService,
  paths: Pick<Contest, 'path' | 'read'>,
): Promise<Contest> {
  const [hostile, other] = await Promise.all([1, 2].map(() => addCompany(stack.database, company)));
  const headers = { 'x-api-key': other?.apiKeys[0] ?? '', 'x-forwarded-for': '203.0.113.7' };
  return {
    ...paths,
    headers: { 'x-api-key': hostile?.apiKeys[0] ?? '', 'idempotency-key': 'hostile' },
    other: () => sendCall(urlOf(service), paths.read, { headers }),
  };
}

const CONTESTS: Readonly<Record<HttpService, () => Promise<Contest>>> = {
  'inbound-gateway': () =>
    byKey({ class: 'SALES', keys: ['general'] }, 'inbound-gateway', {
      path: '/inbound/leads',
      read: '/inbound/events',
    }),
  'installer-gateway': () =>
    byKey(
      { class: 'INSTALLER', keys: ['installer-company'], installerRequestsPerMinute: 3_000 },
      'installer-gateway',
      { path: '/partner/v1/jobs/job_1/status-events', read: '/partner/v1/jobs' },
    ),
  console: async () => {
    const { id } = await addCompany(stack.database, { class: 'INSTALLER' });
    const { headers } = await addOwner(stack, id);
    return {
      path: '/partner-api/session',
      headers: { origin: headers.origin },
      read: '/openapi.json',
      other: () => sendCall(urlOf('console'), '/partner-api/webhooks', { headers }),
    };
  },
};

/** Attacks a service from another thread until the returned function is called. */
async function attack(service: HttpService, { path, read, headers }: Contest): Promise<() => Promise<void>> {
  const worker = new Worker(new URL('support/attack-worker.js', import.meta.url), {
    workerData: { url: urlOf(service), path, read, headers },
  });
  await once(worker, 'message');
  return async () => {
    await worker.terminate();
  };
}

async function measure({ other }: Contest): Promise<number[]> {
  const calls = Array.from({ length: CALLS }, async (_, call) => {
    await delay(call * CALL_EVERY_MS);
    const startedAt = performance.now();
    const { status, headers } = await other();
    if (status !== 503 || !headers.has('retry-after')) expect(status).toBe(200);
    return performance.now() - startedAt;
  });
  return Promise.all(calls);
}

function p99(durations: readonly number[]): number {
  return durations.toSorted((one, other) => one - other)[Math.floor(0.99 * durations.length)] ?? 0;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

describe.each(SERVICES)('%s under the memory limit of its chart', (service) => {
  test('survives attacks of one client, responds to another one all the time, and serves it afterwards [LIMIT-11]', async () => {
    const contest = await CONTESTS[service]();
    const pid = pidOf(service) ?? 0;
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      alone.push(p99(await measure(contest)));
      const end = await attack(service, contest);
      beside.push(p99(await measure(contest)));
      await end();
    }
    const figures = `p99 ${median(alone).toFixed(1)} ms alone, ${median(beside).toFixed(1)} ms beside an attack`;
    process.stdout.write(`${service}: ${figures}, peak ${Math.round(peakMemory(pid) / 1_048_576)} MiB\n`);
    await eventually('the other caller is served', async () => (await contest.other()).status === 200);
    expect(pidOf(service)).toBe(pid);
    expect(peakMemory(pid)).toBeLessThan(chartMemory(service).limitBytes);
  });
});
