import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PROJECT_ROOT } from '@partner/local-stack/project-root';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { eventually } from '@partner/test-kit/eventually';
import { type HttpResponse, sendCall } from '@partner/test-kit/http-call';
import { addOwner } from './support/companies.js';
import { startTestStack, type TestStack } from './support/test-stack.js';

const SERVICES = ['console', 'inbound-gateway', 'installer-gateway'] as const;
type HttpService = (typeof SERVICES)[number];

/** Calls of the other caller in each round. */
const CALLS = 60;
/** Time between two of them: as many as a partner may send. They do not wait for each other, so that each one sees a standstill. */
const CALL_EVERY_MS = 100;
const ROUNDS = 3;

const MEBIBYTE = 1_048_576;

interface Contest {
  /** Path that takes a body, and the headers of the hostile client. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A path whose responses the slow readers do not read. */
  readonly read: string;
  readonly other: () => Promise<HttpResponse>;
}

let stack: TestStack;

/** The memory of a service's pod by its chart. */
function chartMemory(service: HttpService) {
  const values = readFileSync(path.join(PROJECT_ROOT, 'charts', service, 'values.yaml'), 'utf8');
  const limit = /^ {2}limits:\n(?: {4}#.*\n)* {4}memory: (\d+)Mi$/m.exec(values)?.[1];
  const percent = /^nodeHeapPercent: (\d+)$/m.exec(values)?.[1];
  if (limit === undefined || percent === undefined) throw new Error(`the chart of ${service} has no limit`);
  const heap = Math.floor((Number(limit) * Number(percent)) / 100);
  return { limitBytes: Number(limit) * MEBIBYTE, nodeOptions: `--max-old-space-size=${heap}` };
}

/** Returns the most memory that a process has had at one time, in bytes. */
function peakMemory(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(peak) * 1_024;
}

const urlOf = (service: HttpService) => stack.stack.description.services[service]?.url ?? '';
const pidOf = (service: HttpService) => stack.stack.process(service).pid;

beforeAll(async () => {
  const settings = SERVICES.map(
    (service) =>
      [service, { NODE_OPTIONS: chartMemory(service).nodeOptions, RPC_TIMEOUT_MS: '20000' }] as const,
  );
  stack = await startTestStack({ settings: Object.fromEntries(settings) });
});

afterAll(() => stack.stop());

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

/** The other caller is served, or asked to retry, all the time. Returns the sorted durations in ms. */
async function serve({ other }: Contest): Promise<number[]> {
  const calls = Array.from({ length: CALLS }, async (_, call) => {
    await delay(call * CALL_EVERY_MS);
    const startedAt = performance.now();
    const { status, headers } = await other();
    if (status !== 503 || !headers.has('retry-after')) expect(status).toBe(200);
    return performance.now() - startedAt;
  });
  return (await Promise.all(calls)).toSorted((one, other) => one - other);
}

/** Says how long calls took. No bound is asserted: one that holds beside other tests would show nothing. */
function durationsText(sorted: readonly number[]): string {
  const [p50, p99] = [0.5, 0.99].map((share) => sorted[Math.floor(share * sorted.length)]?.toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms`;
}

describe.each(SERVICES)('%s under the memory limit of its chart', (service) => {
  test('survives attacks of one client, responds to another one all the time, and serves it afterwards [LIMIT-11]', async () => {
    const contest = await CONTESTS[service]();
    const pid = pidOf(service) ?? 0;
    const figures = [`alone ${durationsText(await serve(contest))}`];
    for (let round = 0; round < ROUNDS; round += 1) {
      const end = await attack(service, contest);
      figures.push(`attacked ${durationsText(await serve(contest))}`);
      await end();
    }
    await eventually('the other caller is served', async () => (await contest.other()).status === 200);
    expect(pidOf(service)).toBe(pid);
    const peak = `peak ${Math.round(peakMemory(pid) / MEBIBYTE)} MiB`;
    process.stdout.write(`${[service, ...figures, peak].join('; ')}\n`);
    expect(peakMemory(pid)).toBeLessThan(chartMemory(service).limitBytes);
  });
});
