import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { withPostgres } from '@partner/runtime/local-parts/postgres';
import { z } from 'zod';
import type { Progress } from '../progress.js';
import { type BenchReceiver, HANGING_PATH } from './bench-receiver.js';
import { withBenchStack } from './bench-stack.js';
import { addCompany, addSubscription, type BenchSubscription, commitEvents } from './fill-deliveries.js';
import { describeMachine, type Machine } from './machine.js';
import { quantileOf } from './statistics.js';

/** So much longer than without the bad ones a healthy endpoint's 99th percentile may be. */
export const LARGEST_RATIO = 1.5;

const HEALTHY = 20;
const HANGING = 5;
/** Longer than anything waits that is not lost. */
const GIVE_UP_MS = 60_000;

/** The times from commit to receipt of the healthy endpoints, in milliseconds. */
export interface FairnessPhase {
  readonly events: number;
  readonly median: number;
  readonly p99: number;
}

/** What the benchmark of fairness has found. */
export interface FairnessBenchResult {
  readonly benchmark: 'fairness';
  readonly machine: Machine;
  readonly healthy: number;
  readonly hanging: number;
  readonly burst: number;
  readonly eventsPerSecond: number;
  /** Before, beside and after the bad ones. */
  readonly before: FairnessPhase;
  readonly beside: FairnessPhase;
  readonly after: FairnessPhase;
  /** Of the 99th percentiles: beside the bad ones to the mean of before and after. */
  readonly ratio: number;
  readonly largestRatio: number;
  /** How many events of the burst were received beside the healthy ones'. */
  readonly burstReceived: number;
  readonly holds: boolean;
}

type Client = Parameters<typeof addCompany>[0];

/**
 * Compares how long events take from commit to receipt at 20 healthy endpoints at a steady rate: alone, and while 5 others
 * hang on every request and one company has a burst of events.
 */
export async function runFairnessBench(options: {
  readonly burst: number;
  /** Of each phase. */
  readonly seconds: number;
  readonly report: Progress;
  readonly signal: AbortSignal;
}): Promise<FairnessBenchResult> {
  const { burst, seconds, report, signal } = options;
  const replicas = { 'inbound-gateway': 0, 'installer-gateway': 0, console: 0 };
  // The events are committed behind job-state's back, which would have woken itself: it looks often instead.
  const settings = { 'job-state': { SCHEDULER_INTERVAL_MS: '10' } };
  return withBenchStack({ replicas, settings, report, signal }, async (stack, receiver) =>
    withPostgres(stack.description.postgresUrl, (client) =>
      withPostgres(stack.description.postgresUrl, async (second) => {
        const made = (path: string) => addOne(client, stack.directory, path);
        const healthy = await series(HEALTHY, (index) => made(`/healthy/${index}`));
        const hanging = await series(HANGING, (index) => made(`${HANGING_PATH}${index}`));
        const bursting = await made('/burst');
        const phase = (extra: () => Promise<void> = () => Promise.resolve()) =>
          runPhase({ client, receiver, healthy, seconds, signal, extra });

        await phase();
        report('warm');
        const before = await phase();
        report(`alone: p99 ${before.p99.toFixed(0)} ms`);
        let burstReceived = 0;
        const beside = await phase(async () => {
          const received = new Set<string>();
          const known = receiver.onReceived;
          receiver.onReceived = (eventId) => {
            received.add(eventId);
            known(eventId);
          };
          const [ids] = await Promise.all([
            commitBurst(stack.description.postgresUrl, bursting, burst),
            steadily(second, hanging, seconds, signal, () => undefined),
          ]);
          burstReceived = ids.filter((id) => received.has(id)).length;
        });
        report(`beside the bad ones: p99 ${beside.p99.toFixed(0)} ms`);
        await second.query('delete from deliveries where subscription_id = any($1::text[])', [
          [...hanging, bursting].map(({ id }) => id),
        ]);
        const after = await phase();
        const ratio = (2 * beside.p99) / (before.p99 + after.p99);
        return {
          benchmark: 'fairness',
          machine: describeMachine(),
          healthy: HEALTHY,
          hanging: HANGING,
          burst,
          eventsPerSecond: HEALTHY,
          before,
          beside,
          after,
          ratio,
          largestRatio: LARGEST_RATIO,
          burstReceived,
          holds: ratio <= LARGEST_RATIO,
        };
      }),
    ),
  );
}

function commitBurst(
  postgresUrl: string,
  subscription: BenchSubscription,
  count: number,
): Promise<readonly string[]> {
  const worker = new Worker(path.join(import.meta.dirname, 'burst-worker.js'), {
    workerData: { postgresUrl, subscription, count },
  });
  return new Promise((resolve, reject) => {
    worker.once('message', (message) => resolve(z.array(z.string()).parse(message)));
    worker.once('error', reject);
  });
}

async function addOne(client: Client, directory: string, path: string): Promise<BenchSubscription> {
  return addSubscription(client, { directory, companyId: await addCompany(client, path), path });
}

async function series<T>(count: number, make: (index: number) => Promise<T>): Promise<readonly T[]> {
  const made: T[] = [];
  for (let index = 1; index <= count; index += 1) made.push(await make(index));
  return made;
}

/** Each healthy endpoint gets an event a second; gives the times to their receipt. Throws when one does not come. */
async function runPhase(phase: {
  readonly client: Client;
  readonly receiver: BenchReceiver;
  readonly healthy: readonly BenchSubscription[];
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly extra: () => Promise<void>;
}): Promise<FairnessPhase> {
  const committedAt = new Map<string, number>();
  const receivedAt = new Map<string, number>();
  phase.receiver.onReceived = (eventId) => {
    if (!receivedAt.has(eventId)) receivedAt.set(eventId, performance.now());
  };
  await Promise.all([
    phase.extra(),
    steadily(phase.client, phase.healthy, phase.seconds, phase.signal, (eventId) => {
      committedAt.set(eventId, performance.now());
    }),
  ]);
  const givenUpAt = performance.now() + GIVE_UP_MS;
  while ([...committedAt.keys()].some((eventId) => !receivedAt.has(eventId))) {
    if (performance.now() > givenUpAt) throw new Error('an event of a healthy endpoint did not come');
    await pause(50);
  }
  // What is received before its commit is known here took no time.
  const times = [...committedAt].map(([eventId, at]) => Math.max(0, (receivedAt.get(eventId) ?? at) - at));
  return { events: times.length, median: quantileOf(times, 0.5), p99: quantileOf(times, 0.99) };
}

/** Commits one event a second for each subscription, spread evenly over the second. */
async function steadily(
  client: Client,
  subscriptions: readonly BenchSubscription[],
  seconds: number,
  signal: AbortSignal,
  committed: (eventId: string) => void,
): Promise<void> {
  const startedAt = performance.now();
  for (let turn = 0; turn < seconds * subscriptions.length; turn += 1) {
    signal.throwIfAborted();
    const subscription = subscriptions[turn % subscriptions.length];
    if (subscription === undefined) return;
    const [eventId = ''] = await commitEvents(client, { subscriptions: [subscription], count: 1 });
    committed(eventId);
    await pause(startedAt + ((turn + 1) * 1_000) / subscriptions.length - performance.now());
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, milliseconds));
  });
}
