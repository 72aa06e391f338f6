import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';
import { newId } from '@partner/kernel/ids';
import { z } from 'zod';
import { connectPlatform, type Platform } from '@partner/local-stack/demo/platform';
import { addCompany } from '@partner/local-stack/stack/add-company';
import { type BenchReceiver, HANGING_PATH } from './bench-receiver.js';
import { BAD_HOSTS, type Bench, HEALTHY_HOST } from './bench-stack.js';
import { addSubscription, type BenchSubscription, type Client, commitEvents } from './fill.js';
import { type Summary, summarise } from './statistics.js';
import { steadily } from './pacing.js';

/** The maximum ratio of a healthy endpoint's 99th percentile with the bad ones to that without them. */
const LARGEST_RATIO = 1.5;

const HEALTHY = 20;
const HANGING = 5;
/** After this time an event counts as lost. */
const GIVE_UP_MS = 60_000;

/**
 * Compares the times from commit to receipt at 20 healthy endpoints at a steady rate: alone, and while 5 others hang on
 * every request and one company has a burst of events.
 */
export async function runFairnessBench(
  { stack, receiver, badReceiver, report, signal }: Bench,
  options: {
    readonly burst: number;
    /** Of each phase. */
    readonly seconds: number;
  },
) {
  const { burst, seconds } = options;
  const platform = await connectPlatform(stack.description.amqpUrl, signal);
  try {
    return await withPostgres(stack.description.postgresUrl, async (client) => {
      const made = (path: string, host: string) =>
        addSubscription(client, { stack, class: 'INSTALLER', path, host, events: 'install.*' });
      const several = (count: number, parent: string, host: string) =>
        Promise.all(Array.from({ length: count }, (_, index) => made(`${parent}${index + 1}`, host)));
      const { id: sellingCompanyId } = await addCompany(client, { class: 'SALES' });
      const healthy = await several(HEALTHY, '/healthy/', HEALTHY_HOST);
      const hanging = await several(HANGING, HANGING_PATH, BAD_HOSTS.hanging);
      const bursting = await made('/burst', BAD_HOSTS.bursting);
      const phase = (extra: () => Promise<void> = () => Promise.resolve()) =>
        runPhase({ client, platform, sellingCompanyId, receiver, healthy, seconds, signal, extra });

      // The measurement excludes its start.
      const commitBurst = await prepareBurst(stack.description.postgresUrl, {
        subscription: bursting,
        count: burst,
        seconds,
      });
      await phase();
      report('warm');
      const before = await phase();
      report(`alone: p99 ${before.p99.toFixed(0)} ms`);
      let burstReceived = 0;
      const beside = await phase(async () => {
        await Promise.all([
          commitBurst(),
          steadily(seconds * HANGING, HANGING, signal, async (turn) => {
            const [subscription] = hanging.slice(turn % HANGING);
            if (subscription !== undefined)
              await commitEvents(client, { subscriptions: [subscription], count: 1 });
          }),
        ]);
        burstReceived = await badReceiver.countReceived();
      });
      report(`beside the bad ones: p99 ${beside.p99.toFixed(0)} ms`);
      await client.query('delete from deliveries where subscription_id = any($1::text[])', [
        [...hanging, bursting].map(({ id }) => id),
      ]);
      const after = await phase();
      const ratio = (2 * beside.p99) / (before.p99 + after.p99);
      return {
        healthy: HEALTHY,
        hanging: HANGING,
        burst,
        eventsPerSecond: HEALTHY,
        before,
        beside,
        after,
        /** Of the 99th percentiles: with the bad ones, to the mean of before and after. */
        ratio,
        largestRatio: LARGEST_RATIO,
        /** Events of the burst that were received together with the healthy ones'. */
        burstReceived,
        holds: ratio <= LARGEST_RATIO,
      };
    });
  } finally {
    await platform.close();
  }
}

/** Renders the result. */
export function renderFairness(result: Awaited<ReturnType<typeof runFairnessBench>>) {
  const { before, beside, after, ratio, largestRatio } = result;
  const line = (name: string, { samples, p50, p99 }: Summary) =>
    `  ${name.padEnd(24)} ${String(samples).padStart(6)} events   median ${p50.toFixed(1).padStart(7)} ms   p99 ${p99.toFixed(1).padStart(7)} ms`;
  return [
    `From commit to receipt at ${result.healthy} healthy endpoints, ${result.eventsPerSecond} events a second together:`,
    line('alone, before', before),
    line('beside the bad ones', beside),
    line('alone, after', after),
    '',
    `The bad ones: ${result.hanging} endpoints that hang on every request, and a burst of ${result.burst.toLocaleString('en')} events of one company,`,
    `of which ${result.burstReceived.toLocaleString('en')} were received meanwhile.`,
    '',
    `Ratio of the 99th percentiles: ${ratio.toFixed(2)} (at most ${largestRatio})`,
  ];
}

/** Prepares a burst of events in a separate thread. The returned function commits them within a number of seconds. */
async function prepareBurst(
  postgresUrl: string,
  events: { readonly subscription: BenchSubscription; readonly count: number; readonly seconds: number },
): Promise<() => Promise<void>> {
  const worker = new Worker(path.join(import.meta.dirname, 'burst-worker.js'), {
    workerData: { postgresUrl, ...events },
  });
  await once(worker, 'message');
  return async () => {
    worker.postMessage('go');
    await once(worker, 'message');
  };
}

/**
 * The platform assigns a job a second to each healthy endpoint's company. Returns the times from the commit of an event
 * to its receipt. Throws if an event does not arrive.
 */
async function runPhase(phase: {
  readonly client: Client;
  readonly platform: Platform;
  readonly sellingCompanyId: string;
  readonly receiver: BenchReceiver;
  readonly healthy: readonly BenchSubscription[];
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly extra: () => Promise<void>;
}): Promise<Summary> {
  const { client, platform, healthy, signal } = phase;
  const receivedAt = new Map<string, number>();
  phase.receiver.onReceived = (eventId) => {
    if (!receivedAt.has(eventId)) receivedAt.set(eventId, Date.now());
  };
  const jobIds = Array.from({ length: phase.seconds * healthy.length }, () => newId('job'));
  const polling = { timeoutMs: GIVE_UP_MS, everyMs: 100, signal };
  for (const jobId of jobIds) {
    await platform.createJob({ jobId, sellingCompanyId: phase.sellingCompanyId });
  }
  const jobsExist = async () => {
    const { rows } = await client.query('select id from jobs where id = any($1::text[])', [jobIds]);
    return rows.length === jobIds.length;
  };
  await eventually('the jobs of the phase', jobsExist, polling);
  await Promise.all([
    phase.extra(),
    steadily(jobIds.length, healthy.length, signal, async (turn) => {
      const [jobId] = jobIds.slice(turn);
      const [subscription] = healthy.slice(turn % healthy.length);
      if (jobId !== undefined && subscription !== undefined) {
        await platform.assignJob(jobId, subscription.companyId);
      }
    }),
  ]);
  const latencies = async () => {
    const { rows } = await client.query(
      `select id, extract(epoch from pg_xact_commit_timestamp(xmin))::float8 * 1000 as "committedAt"
       from events where resource_id = any($1::text[])`,
      [jobIds],
    );
    const events = z.array(z.object({ id: z.string(), committedAt: z.number() })).parse(rows);
    const received = events.flatMap(({ id, committedAt }) => {
      const at = receivedAt.get(id);
      return at === undefined ? [] : [at - committedAt];
    });
    return received.length === jobIds.length && received;
  };
  return summarise(await eventually('the events of the healthy endpoints', latencies, polling));
}
