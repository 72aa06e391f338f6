import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { z } from 'zod';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { type BenchReceiver } from './bench-receiver.js';
import type { Bench } from './bench-stack.js';
import { measureDeliveries } from './delivery-run.js';
import { addEndpoints, commitEvents, ENDPOINTS } from './fill.js';
import { pause } from './pacing.js';
import { count, renderCosts, renderRates } from './render-run.js';

/** The minimum ratio of the whole path's rate to the bare loop's. */
const LEAST_RATIO = 0.1;
/** The maximum ratio of the dispatcher's memory in the last quarter of the backlog to that in the second. */
const LARGEST_GROWTH = 1.2;

const BARE_MS = 3_000;
const BARE_AT_ONCE = 32;

/**
 * Measures how many deliveries per second one job-state and one dispatcher make and record. The backlog is committed
 * before and is due at one moment. In the same run it measures how many signed POSTs per second a bare loop makes to the
 * same receiver.
 */
export async function runBacklogBench(
  { stack, receiver, report, signal }: Bench,
  { events }: { readonly events: number },
) {
  const endpoints = await addEndpoints(stack);
  const bareBefore = await runBareLoop(stack, receiver);
  report(`the bare loop made ${Math.round(bareBefore)} POSTs a second`);
  const dueAt = await withPostgres(stack.description.postgresUrl, async (client) => {
    // After the backlog is committed. The first thousand measure how long that takes, and warm the path.
    const sampleMs = await timeOf(() => commitEvents(client, { subscriptions: endpoints, count: 1_000 }));
    const due = new Date(Date.now() + (2 * sampleMs * events) / 1_000 + 15_000);
    await commitEvents(client, { subscriptions: endpoints, count: events, dueAt: due, signal });
    await client.query('vacuum (analyze) deliveries, events');
    await client.query('checkpoint');
    return due;
  });
  report(`${events.toLocaleString('en')} deliveries wait`);
  await pause(dueAt.getTime() - Date.now());
  const run = await measureDeliveries({ stack, receiver, events, signal, start: () => Promise.resolve() });
  report('all of them are recorded');
  const bareAfter = await runBareLoop(stack, receiver);
  const ratio = (2 * run.sustainedPerSecond) / (bareBefore + bareAfter);
  const memory = run.memoryMiB['webhook-dispatcher'] ?? [];
  const growth = (memory[3] ?? 1) / (memory[1] ?? 1);
  return {
    endpoints: endpoints.length,
    run,
    /** Signed POSTs per second of the bare loop, before and after. */
    barePerSecond: [bareBefore, bareAfter],
    /** Of the sustained rate to the bare loop's. */
    ratio,
    leastRatio: LEAST_RATIO,
    largestGrowth: LARGEST_GROWTH,
    holds: ratio >= LEAST_RATIO && growth <= LARGEST_GROWTH,
  };
}

/** Renders the result. */
export function renderBacklog(result: Awaited<ReturnType<typeof runBacklogBench>>) {
  const { run, barePerSecond, ratio, leastRatio, holds } = result;
  return [
    `${count(run.events)} deliveries to ${ENDPOINTS} endpoints that are due at one moment, until the last result is recorded`,
    ...renderRates(run),
    `  a bare loop of signed POSTs    ${barePerSecond.map(count).join(' before and ')} a second after`,
    `  ratio of the sustained rate    ${ratio.toFixed(2)} (at least ${leastRatio})`,
    ...renderCosts(run),
    '',
    holds
      ? 'The ratio is large enough, and the memory of the dispatcher does not grow with the backlog.'
      : 'The ratio is too small, or the memory of the dispatcher grows with the backlog.',
  ];
}

async function runBareLoop(stack: Stack, receiver: BenchReceiver): Promise<number> {
  const worker = new Worker(path.join(import.meta.dirname, 'bare-loop.js'), {
    workerData: {
      port: receiver.port,
      caFile: stack.description.receiver.caFile,
      atOnce: BARE_AT_ONCE,
      milliseconds: BARE_MS,
    },
  });
  return z.tuple([z.object({ perSecond: z.number() })]).parse(await once(worker, 'message'))[0].perSecond;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
