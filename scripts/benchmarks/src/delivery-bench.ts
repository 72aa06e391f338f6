import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@partner/kernel/process/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import { eventually } from '@partner/test-kit/eventually';
import type { Bench } from './bench-stack.js';
import { sum, summarise } from './usage-meter.js';
import { type DeliveryRun, measureDeliveries, recordedBy } from './delivery-run.js';
import { addEndpoints, type BenchEndpoint, commitEvents, ENDPOINTS } from './fill.js';

const PUBLISHERS = 32;
const WARM_UP_SECONDS = 3;

export function runFlood(
  bench: Bench,
  { events, subscriptions }: { readonly events: number; readonly subscriptions: number },
) {
  return withPlatform(bench, subscriptions, async (publish) => {
    let published = 0;
    let publishedPerSecond = 0;
    const run = await measureDeliveries(bench, events * subscriptions, async () => {
      const startedAt = performance.now();
      const publisher = async () => {
        while (published < events) {
          bench.signal.throwIfAborted();
          published += 1;
          await publish(published, newId('quo'));
        }
      };
      await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
      publishedPerSecond = (events * 1_000) / (performance.now() - startedAt);
      bench.report('all events are published');
    });
    return {
      title: `${count(run.events)} deliveries, ${subscriptions} of each event, to ${ENDPOINTS} companies, from the first publish to the last recorded result`,
      // Counts the broker's confirms.
      figures: [
        `published by ${PUBLISHERS} publishers    ${count(publishedPerSecond)} a second`,
        ...ratesOf(run),
      ],
      ...{ subscriptions, publishedPerSecond, run },
    };
  });
}

export function runLatency(
  bench: Bench,
  { rate: perSecond, seconds }: { readonly rate: number; readonly seconds: number },
) {
  return withPlatform(bench, 1, async (publish) => {
    const publishedAt = new Map<string, number>();
    const publishFor = async (duration: number) => {
      const publishing: Promise<unknown>[] = [];
      const startedAt = performance.now();
      for (let turn = 1; turn <= duration * perSecond; turn += 1) {
        bench.signal.throwIfAborted();
        const quoteId = newId('quo');
        publishedAt.set(quoteId, performance.now());
        publishing.push(publish(turn, quoteId));
        await delay(Math.max(0, startedAt + (turn * 1_000) / perSecond - performance.now()));
      }
      await Promise.all(publishing);
    };
    await publishFor(WARM_UP_SECONDS);
    const isWarm = async () => (await recordedBy(bench.stack)) >= WARM_UP_SECONDS * perSecond;
    await eventually('the end of the warm-up', isWarm, { everyMs: 100, signal: bench.signal });
    bench.report('warm');
    publishedAt.clear();
    const run = await measureDeliveries(bench, perSecond * seconds, () => publishFor(seconds));
    const quotes = await quotesOfEvents(bench.stack.description.postgresUrl);
    // A repeated delivery does not count.
    const receivedAt = new Map(bench.arrivals.toReversed().map(({ eventId, at }) => [eventId, at]));
    const times = [...receivedAt].flatMap(([eventId, at]) => {
      const from = publishedAt.get(quotes.get(eventId) ?? '');
      return from === undefined ? [] : [at - from];
    });
    const fromPublish = summarise(times);
    const { p50, p95, p99 } = fromPublish;
    return {
      title: `${perSecond} events a second to ${ENDPOINTS} endpoints, ${count(run.events)} events`,
      figures: [
        `from publish to receipt    p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      ],
      ...{ perSecond, fromPublish, run },
    };
  });
}

/**
 * Measures how many deliveries per second one job-state and one dispatcher make and record. The backlog is committed
 * before and is due at one moment.
 */
export async function runBacklog(bench: Bench, { events }: { readonly events: number }) {
  const { stack, report, signal } = bench;
  const endpoints = await addEndpoints(stack);
  const dueAt = await withPostgres(stack.description.postgresUrl, async (client) => {
    // After the backlog is committed. The first thousand measure how long that takes, and warm the path.
    const startedAt = performance.now();
    await commitEvents(client, { subscriptions: endpoints, count: 1_000 });
    const sampleMs = performance.now() - startedAt;
    const due = Date.now() + (2 * sampleMs * events) / 1_000 + 15_000;
    await commitEvents(client, { subscriptions: endpoints, count: events, dueAt: new Date(due), signal });
    await client.query('vacuum (analyze) deliveries, events');
    await client.query('checkpoint');
    return due;
  });
  report(`${events.toLocaleString('en')} deliveries wait`);
  await delay(Math.max(0, dueAt - Date.now()));
  const run = await measureDeliveries(bench, events);
  report('all of them are recorded');
  return {
    title: `${count(run.events)} deliveries to ${ENDPOINTS} endpoints that are due at one moment, until the last result is recorded`,
    figures: ratesOf(run),
    run,
  };
}

async function withPlatform<Result>(
  { stack, signal }: Bench,
  subscriptions: number,
  work: (publish: (turn: number, quoteId: string) => Promise<unknown>) => Promise<Result>,
): Promise<Result> {
  const endpoints: readonly BenchEndpoint[] = await addEndpoints(stack, subscriptions);
  const platform = await connectPlatform(stack.description.amqpUrl, signal);
  try {
    return await work((turn, quoteId) => {
      const { projectId = '' } = endpoints[turn % endpoints.length] ?? {};
      return platform.sendQuote({ quoteId, projectId });
    });
  } finally {
    await platform.close();
  }
}

async function quotesOfEvents(postgresUrl: string): Promise<ReadonlyMap<string, string>> {
  return withPostgres(postgresUrl, async (client) => {
    const { rows } = await client.query<{ id: string; quoteId: string }>(
      `select id, resource_id as "quoteId" from events`,
    );
    return new Map(rows.map(({ id, quoteId }) => [id, quoteId]));
  });
}

export function renderDeliveries(result: {
  readonly title: string;
  readonly figures: readonly string[];
  readonly run: DeliveryRun;
}): readonly string[] {
  const { title, figures, run } = result;
  const stored = sum(Object.values(run.stored)) / run.events;
  const counted = (name: string, digits: number) => (run.postgres[name] ?? 0).toFixed(digits);
  const processes = Object.entries(run.processors)
    .filter(([, milliseconds]) => milliseconds >= 0.005)
    .sort(([, one], [, other]) => other - one);
  return [
    title,
    ...figures.map((line) => `  ${line}`),
    `  busy elsewhere    ${run.coresOfOthers.toFixed(1)} cores`,
    `  TLS connections    ${count(run.connections)}`,
    '',
    `Processor time of a delivery: ${run.processorMs.toFixed(2)} ms without the benchmark's own`,
    ...processes.map(([name, milliseconds]) => `  ${name.padEnd(24)} ${milliseconds.toFixed(2)} ms`),
    '',
    'Postgres, for each delivery',
    `  statements ${counted('statements', 2)}, transactions ${counted('transactions', 2)}, rows inserted ${counted('inserted', 1)}, updated ${counted('updated', 1)}, deleted ${counted('deleted', 1)}`,
    `  WAL ${count(run.postgres['walBytes'] ?? 0)} bytes, ${counted('walSyncs', 2)} flushes, stored ${count(stored)} bytes`,
    `RabbitMQ, for each delivery: ${count(run.brokerBytes)} bytes`,
    '',
    `Most memory: ${Object.entries(run.peakMiB)
      .map(([name, size]) => `${name} ${count(size)} MiB`)
      .join(', ')}`,
  ];
}

function ratesOf({ receivedPerSecond, recordedPerSecond }: DeliveryRun) {
  return [
    `received    ${count(receivedPerSecond)} a second`,
    `recorded    ${count(recordedPerSecond)} a second`,
  ];
}

const count = (value: number): string => Math.round(value).toLocaleString('en');
