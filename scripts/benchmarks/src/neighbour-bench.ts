import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { invariant } from '@partner/kernel/invariant';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Bench } from './bench-stack.js';
import { addChanges, addInstaller, addSeller } from './fill-api.js';
import type { Client } from './fill.js';
import { createHttpClient, type HttpCall, type HttpClient } from './http-client.js';
import { steadily } from './pacing.js';
import { type Summary, summarise } from './statistics.js';
import { textTable } from '@partner/local-stack/text-table';

/** Maximum ratio of the p99 beside the hostile company to the p99 alone. */
const LARGEST_RATIO = 2;
const FEED_ENTRIES = 1_000;

interface Contest {
  readonly surface: string;
  readonly hostile: HttpCall;
  readonly hostilePerSecond: number;
  readonly neighbour: HttpCall;
  readonly neighbourPerSecond: number;
}

/**
 * Compares the response times of one company at a steady rate on each surface: alone, and while another company sends ten times
 * its limit. The two take turns in each round.
 */
export async function runNeighbourBench(
  { stack, report, signal }: Bench,
  options: {
    readonly rounds: number;
    /** Of each half of a round. */
    readonly seconds: number;
  },
) {
  const client = createHttpClient(stack.description.baseUrl);
  try {
    const api = await withPostgres(stack.description.postgresUrl, fillSurfaces);
    const comparisons = [];
    for (const contest of [...api, await ownersOf(stack.description, client)]) {
      comparisons.push(
        await compare(client, contest, { ...options, baseUrl: stack.description.baseUrl, signal }),
      );
      report(contest.surface);
    }
    return {
      comparisons,
      largestRatio: LARGEST_RATIO,
      holds: comparisons.every(({ ratio }) => ratio <= LARGEST_RATIO),
    };
  } finally {
    client.close();
  }
}

async function fillSurfaces(database: Client): Promise<readonly Contest[]> {
  const companies = [];
  for (const _ of ['hostile', 'neighbour']) {
    const installer = await addInstaller(database, FEED_ENTRIES);
    await addChanges(database, installer, { from: 1, to: FEED_ENTRIES, changes: FEED_ENTRIES });
    const jobs = await database.query<{ id: string }>('select id from jobs where installer_company_id = $1', [
      installer.id,
    ]);
    const jobIds = jobs.rows.map(({ id }) => id);
    const seller = await addSeller(database, installer, jobIds);
    companies.push({ installer, seller });
  }
  const [hostile, neighbour] = companies;
  invariant(hostile !== undefined && neighbour !== undefined, 'there are two companies');
  await database.query('update companies set installer_requests_per_minute = null where id = $1', [
    hostile.installer.id,
  ]);
  const get = (path: string, apiKey: string): HttpCall => ({ method: 'GET', path, apiKey, status: 200 });
  return [
    {
      surface: 'installer',
      hostile: get('/partner/v1/jobs', hostile.installer.apiKey),
      hostilePerSecond: LIMITS.installerRequestsPerMinute / 6,
      neighbour: get('/partner/v1/jobs', neighbour.installer.apiKey),
      neighbourPerSecond: 20,
    },
    {
      surface: 'inbound',
      hostile: get('/inbound/jobs', hostile.seller.contractorKey),
      hostilePerSecond: LIMITS.inboundRequestsPerMinute / 6,
      neighbour: get('/inbound/jobs', neighbour.seller.contractorKey),
      // Below the limit, which cannot be raised.
      neighbourPerSecond: 8,
    },
  ];
}

/** Signs in two owners of the sandbox. */
async function ownersOf(
  { baseUrl, companies }: Bench['stack']['description'],
  client: HttpClient,
): Promise<Contest> {
  const headers = { origin: new URL(baseUrl).origin };
  const [hostile, neighbour] = await Promise.all(
    companies.slice(0, 2).map(async ({ owner }): Promise<HttpCall> => {
      const path = '/partner-api/session';
      const body = JSON.stringify(owner);
      const signedIn = await client.send({ method: 'POST', path, apiKey: '', headers, body, status: 200 });
      const cookie = (signedIn.headers['set-cookie'] ?? []).map((set) => set.split(';')[0]).join('; ');
      return { method: 'GET', path: '/partner-api/webhooks', apiKey: '', headers: { cookie }, status: 200 };
    }),
  );
  invariant(hostile !== undefined && neighbour !== undefined, 'the sandbox has two companies');
  return {
    surface: 'console',
    hostile,
    hostilePerSecond: LIMITS.consoleRequestsPerMinute / 6,
    neighbour,
    neighbourPerSecond: 20,
  };
}

async function compare(
  client: HttpClient,
  { surface, hostile, hostilePerSecond, neighbour, neighbourPerSecond }: Contest,
  run: Pick<Bench, 'signal'> & Parameters<typeof runNeighbourBench>[1] & { readonly baseUrl: string },
) {
  const { rounds, seconds, baseUrl, signal } = run;
  const measure = (durations: number[]) =>
    steadily(neighbourPerSecond * seconds, neighbourPerSecond, signal, async () => {
      const sentAt = performance.now();
      await client.send(neighbour);
      durations.push(performance.now() - sentAt);
    });
  const workerData = { baseUrl, call: hostile, perSecond: hostilePerSecond, seconds };
  const worker = new Worker(path.join(import.meta.dirname, 'hostile-worker.js'), { workerData });
  const sendHostile = () => {
    worker.postMessage('send');
    return once(worker, 'message', { signal });
  };
  const [alone, beside]: [number[], number[]] = [[], []];
  try {
    await measure([]);
    for (let round = 0; round < rounds; round += 1) {
      await measure(alone);
      await Promise.all([measure(beside), sendHostile()]);
    }
  } finally {
    await worker.terminate();
  }
  const times = { alone: summarise(alone), beside: summarise(beside) };
  return { surface, ...times, hostilePerSecond, ratio: times.beside.p99 / times.alone.p99 };
}

/** The result of the benchmark of a noisy neighbour for a person. */
export function renderNeighbour(result: Awaited<ReturnType<typeof runNeighbourBench>>) {
  const times = ({ p50, p99 }: Summary) => `${p50.toFixed(1)} / ${p99.toFixed(1)}`;
  return [
    'Response times of one company in ms, p50 / p99, alone and beside a company at ten times its limit:',
    '',
    ...textTable(
      [
        ['surface', 'requests', 'alone', 'beside', 'hostile/s', 'ratio of p99'],
        ...result.comparisons.map(({ surface, alone, beside, hostilePerSecond, ratio }) => [
          ...[surface, String(alone.samples), times(alone), times(beside)],
          ...[String(hostilePerSecond), ratio.toFixed(2)],
        ]),
      ],
      'right',
    ),
    '',
    `Bound of each ratio: ${result.largestRatio}`,
  ];
}
