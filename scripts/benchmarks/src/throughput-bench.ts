import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import type { Progress } from '@partner/local-stack/progress';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { type BenchReceiver } from './bench-receiver.js';
import { withBenchStack } from './bench-stack.js';
import { addCompany, addSubscription, type BenchSubscription, commitEvents } from './fill-deliveries.js';
import { describeMachine, type Machine } from './machine.js';
import { processorTimes, residentMiB } from './process-usage.js';

/** The least part of the bare loop's rate that the whole path is to reach. */
export const LEAST_RATIO = 0.1;
/** The memory of the dispatcher in the last quarter of the backlog to that in the second, at most. */
export const LARGEST_GROWTH = 1.2;

const COMPANIES = 20;
const SUBSCRIPTIONS_EACH = 5;
const BARE_MS = 5_000;
const BARE_AT_ONCE = 32;
const LOOK_MS = 500;
/** The beginning and the end of the backlog are not sustained. */
const EDGE = 0.1;

/** What one process, or group of processes, used of one core during the measurement. */
export interface ProcessorShare {
  readonly process: string;
  readonly cores: number;
}

/** What the benchmark of throughput has found. */
export interface ThroughputBenchResult {
  readonly benchmark: 'throughput';
  readonly machine: Machine;
  readonly deliveries: number;
  readonly subscriptions: number;
  /** Recorded results per second, sustained over the middle of the backlog. */
  readonly perSecond: number;
  /** Signed POSTs per second of the bare loop, before and after. */
  readonly barePerSecond: readonly number[];
  readonly ratio: number;
  readonly leastRatio: number;
  readonly processors: readonly ProcessorShare[];
  /** Memory of the dispatcher in MiB: largest of each quarter of the backlog. Absent where the system does not tell. */
  readonly dispatcherMiB: readonly number[];
  readonly largestGrowth: number;
  readonly holds: boolean;
}

interface Look {
  readonly at: number;
  readonly recorded: number;
  readonly dispatcherMiB: number | undefined;
  readonly processors: ReadonlyMap<number, number>;
}

/**
 * Measures how many deliveries per second go the whole way from their commit to their recorded result, with one job-state
 * and one dispatcher, over a backlog that is committed beforehand and is due at one moment; beside it, in the same run,
 * how many signed POSTs per second a bare loop makes to the same receiver.
 */
export async function runThroughputBench(options: {
  readonly deliveries: number;
  readonly report: Progress;
  readonly signal: AbortSignal;
}): Promise<ThroughputBenchResult> {
  const { deliveries, report, signal } = options;
  const replicas = { 'inbound-gateway': 0, 'installer-gateway': 0, console: 0 };
  return withBenchStack({ replicas, report, signal }, async (stack, receiver) => {
    return withPostgres(stack.description.postgresUrl, async (client) => {
      const subscriptions = await addSubscriptions(client, stack);
      const bareBefore = await runBareLoop(stack, receiver);
      report(`the bare loop made ${Math.round(bareBefore)} POSTs a second`);
      // Later than the backlog is there; the first thousands tell how long that takes.
      const sampleMs = await timeOf(() => commitEvents(client, { subscriptions, count: 2_000 }));
      const dueAt = new Date(Date.now() + (1.5 * sampleMs * deliveries) / 2_000 + 15_000);
      await commitEvents(client, { subscriptions, count: deliveries, dueAt, signal });
      await client.query('vacuum (analyze) deliveries, events');
      await client.query('checkpoint');
      report(`${deliveries.toLocaleString('en')} deliveries wait`);
      const before = await recordedBy(stack);
      const looks = await watch(stack, { dueAt, until: before + deliveries, signal, report });
      report('all of them are recorded');
      const bareAfter = await runBareLoop(stack, receiver);
      return judge(stack, looks, {
        deliveries,
        subscriptions: subscriptions.length,
        base: before,
        bare: [bareBefore, bareAfter],
      });
    });
  });
}

async function addSubscriptions(
  client: Parameters<typeof addCompany>[0],
  stack: Stack,
): Promise<readonly BenchSubscription[]> {
  const subscriptions: BenchSubscription[] = [];
  for (let company = 1; company <= COMPANIES; company += 1) {
    const companyId = await addCompany(client, `Company ${company}`);
    for (let each = 1; each <= SUBSCRIPTIONS_EACH; each += 1) {
      const place = { directory: stack.directory, companyId, path: `/hooks/${company}/${each}` };
      subscriptions.push(await addSubscription(client, place));
    }
  }
  return subscriptions;
}

async function watch(
  stack: Stack,
  options: {
    readonly dueAt: Date;
    readonly until: number;
    readonly signal: AbortSignal;
    readonly report: Progress;
  },
): Promise<readonly Look[]> {
  await pause(Math.max(0, options.dueAt.getTime() - Date.now()));
  const looks: Look[] = [];
  for (;;) {
    options.signal.throwIfAborted();
    const recorded = await recordedBy(stack);
    looks.push({
      at: performance.now(),
      recorded,
      dispatcherMiB: residentMiB(stack.process('webhook-dispatcher').pid ?? 0),
      processors: processorTimes(measuredProcesses(stack).map(({ pid }) => pid)),
    });
    if (recorded >= options.until) return looks;
    await pause(LOOK_MS);
  }
}

function judge(
  stack: Stack,
  looks: readonly Look[],
  run: {
    readonly deliveries: number;
    readonly subscriptions: number;
    readonly base: number;
    readonly bare: readonly number[];
  },
): ThroughputBenchResult {
  const partOf = (look: Look) => (look.recorded - run.base) / run.deliveries;
  const middle = looks.filter((look) => partOf(look) >= EDGE && partOf(look) <= 1 - EDGE);
  const [first, last] = [middle[0], middle.at(-1)];
  if (first === undefined || last === undefined || first === last) {
    throw new Error('the backlog is too small to be measured');
  }
  const seconds = (last.at - first.at) / 1_000;
  const perSecond = (last.recorded - first.recorded) / seconds;
  const bare = run.bare.reduce((sum, one) => sum + one, 0) / run.bare.length;
  const ratio = perSecond / bare;

  const processors = measuredProcesses(stack)
    .map(({ process, pid }) => ({
      process,
      cores: ((last.processors.get(pid) ?? 0) - (first.processors.get(pid) ?? 0)) / 1_000 / seconds,
    }))
    .filter(({ cores }) => cores >= 0.01)
    .sort((a, b) => b.cores - a.cores);

  const dispatcherMiB = [0, 1, 2, 3].flatMap((quarter) => {
    const sizes = looks
      .filter((look) => Math.min(3, Math.floor(4 * partOf(look))) === quarter)
      .flatMap((look) => look.dispatcherMiB ?? []);
    return sizes.length === 0 ? [] : [Math.max(...sizes)];
  });
  const growth = (dispatcherMiB[3] ?? 1) / (dispatcherMiB[1] ?? 1);
  return {
    benchmark: 'throughput',
    machine: describeMachine(),
    deliveries: run.deliveries,
    subscriptions: run.subscriptions,
    perSecond,
    barePerSecond: run.bare,
    ratio,
    leastRatio: LEAST_RATIO,
    processors,
    dispatcherMiB,
    largestGrowth: LARGEST_GROWTH,
    holds: ratio >= LEAST_RATIO && growth <= LARGEST_GROWTH,
  };
}

/** The stack's processes and this one. Its own come first: the stack descends from it. */
function measuredProcesses(stack: Stack): readonly { readonly process: string; readonly pid: number }[] {
  return [
    ...stack.processes.flatMap(({ name, pid }) => (pid === undefined ? [] : [{ process: name, pid }])),
    { process: 'receiver of the benchmark', pid: process.pid },
  ];
}

/** Attempts that job-state has recorded since it began. */
async function recordedBy(stack: Stack): Promise<number> {
  const url = new URL('/metrics', stack.description.services['job-state']?.adminUrl ?? '');
  const text = await (await fetch(url)).text();
  const lines = [...text.matchAll(/^partner_webhook_attempts_recorded_total\{[^}]*\} (\d+)$/gm)];
  return lines.reduce((sum, [, value]) => sum + Number(value), 0);
}

function runBareLoop(stack: Stack, receiver: BenchReceiver): Promise<number> {
  const worker = new Worker(path.join(import.meta.dirname, 'bare-loop.js'), {
    workerData: {
      port: receiver.port,
      caFile: stack.description.receiver.caFile,
      atOnce: BARE_AT_ONCE,
      milliseconds: BARE_MS,
    },
  });
  return new Promise((resolve, reject) => {
    worker.once('message', (message) =>
      resolve(z.object({ perSecond: z.number() }).parse(message).perSecond),
    );
    worker.once('error', reject);
  });
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
