import { setTimeout as delay } from 'node:timers/promises';
import { newId } from '@partner/kernel/process/ids';
import { connectPlatform } from '@partner/local-stack/demo/platform';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Bench } from './bench-stack.js';
import { sum, summarise } from './usage-meter.js';
import { type DeliveryRun, measureDeliveries, untilRecorded } from './delivery-run.js';
import { addEndpoints, type BenchEndpoint, commitEvents, ENDPOINTS } from './fill.js';
import { measureMinWork } from './min-work.js';

const PUBLISHERS = 32;
const WARM_UP_SECONDS = 3;
const SECONDS_OF_A_MINUTE = 60;

export function runFlood(
  bench: Bench,
  { events, subscriptions }: { readonly events: number; readonly subscriptions: number },
) {
  return withPlatform(bench, subscriptions, async (publish) => {
    let publishedPerSecond = 0;
    const run = await measureDeliveries(bench, events * subscriptions, async () => {
      publishedPerSecond = await publishAtOnce(bench, publish, events);
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
    await untilRecorded(bench, WARM_UP_SECONDS * perSecond, async () => {
      await publishSteadily(bench, publish, { perSecond, seconds: WARM_UP_SECONDS });
    });
    bench.report('warm');
    let publishedAt: PublishTimes = new Map();
    const run = await measureDeliveries(bench, perSecond * seconds, async () => {
      publishedAt = await publishSteadily(bench, publish, { perSecond, seconds });
    });
    const fromPublish = await timesToReceipt(bench, publishedAt);
    return {
      title: `${perSecond} events a second to ${ENDPOINTS} endpoints, ${count(run.events)} events`,
      figures: [`from publish to receipt    ${percentiles(fromPublish)}`],
      ...{ perSecond, fromPublish, run },
    };
  });
}

/**
 * Measures what a transaction that stays open costs: no row version that was replaced or deleted since its snapshot can be
 * removed. A steady minute and a flood, before and at the end of its life, each after the steady rate of the time between.
 */
export function runHeldSnapshot(
  bench: Bench,
  {
    rate: perSecond,
    minutes,
    events,
  }: { readonly rate: number; readonly minutes: number; readonly events: number },
  seconds = SECONDS_OF_A_MINUTE,
) {
  return withPlatform(bench, 1, async (publish) => {
    const steadyMinute = async () => {
      bench.arrivals.length = 0;
      let publishedAt: PublishTimes = new Map();
      const perSecondRecorded = await untilRecorded(bench, perSecond * seconds, async () => {
        publishedAt = await publishSteadily(bench, publish, { perSecond, seconds });
      });
      return { perSecondRecorded, publishedAt };
    };
    const measure = async () => {
      const { publishedAt, perSecondRecorded } = await steadyMinute();
      const fromPublish = await timesToReceipt(bench, publishedAt);
      const flood = await untilRecorded(bench, events, async () => {
        await publishAtOnce(bench, publish, events);
      });
      return { ...fromPublish, perSecondRecorded, flood };
    };
    await steadyMinute();
    bench.report('warm');
    const before = await measure();
    bench.report('measured without the snapshot');
    const held = await withPostgres(bench.stack.description.postgresUrl, async (client) => {
      await client.query('begin isolation level repeatable read');
      await client.query('select pg_current_snapshot()');
      for (let minute = 1; minute < minutes; minute += 1) {
        await steadyMinute();
        bench.report(`the snapshot is ${minute} minutes old`);
      }
      return measure();
    });
    const ratio = (one: number, other: number) => (one / other).toFixed(2);
    const line = (name: string, { p50, p99, perSecondRecorded, flood }: typeof held) =>
      `${name}    p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, recorded ${count(perSecondRecorded)} a second; in a flood ${count(flood)}`;
    return {
      title: `${perSecond} events a second, then a flood of ${count(events)}, beside a snapshot of ${minutes} minutes`,
      figures: [
        line('before', before),
        line('held  ', held),
        `ratio     p50 ${ratio(held.p50, before.p50)}, flood ${ratio(held.flood, before.flood)}`,
      ],
      ...{ perSecond, minutes, before, held },
    };
  });
}

/**
 * Measures how many deliveries per second one job-state and one dispatcher make and record. The backlog is committed
 * before and is due at one moment. Beside it, what the machine does of what each of them needs.
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
  // With nothing beside it: job-state is stopped.
  const min = await measureMinWork(bench);
  return {
    title: `${count(run.events)} deliveries to ${ENDPOINTS} endpoints that are due at one moment, until the last result is recorded`,
    figures: [
      ...ratesOf(run),
      `the same machine alone    ${count(min.postsPerSecond)} POSTs a second, or ${count(min.rowsPerSecond)} rows`,
    ],
    ...{ min, run },
  };
}

type Publish = (turn: number, quoteId: string) => Promise<unknown>;
/** When each quote was published, by its id. */
type PublishTimes = ReadonlyMap<string, number>;

/** Returns the events that the broker confirmed in a second. */
async function publishAtOnce({ signal }: Bench, publish: Publish, events: number): Promise<number> {
  let published = 0;
  const startedAt = performance.now();
  const publisher = async () => {
    while (published < events) {
      signal.throwIfAborted();
      published += 1;
      await publish(published, newId('quo'));
    }
  };
  await Promise.all(Array.from({ length: PUBLISHERS }, publisher));
  return (events * 1_000) / (performance.now() - startedAt);
}

async function publishSteadily(
  { signal }: Bench,
  publish: Publish,
  { perSecond, seconds }: { readonly perSecond: number; readonly seconds: number },
): Promise<PublishTimes> {
  const publishedAt = new Map<string, number>();
  const publishing: Promise<unknown>[] = [];
  const startedAt = performance.now();
  for (let turn = 1; turn <= seconds * perSecond; turn += 1) {
    signal.throwIfAborted();
    const quoteId = newId('quo');
    publishedAt.set(quoteId, performance.now());
    publishing.push(publish(turn, quoteId));
    await delay(Math.max(0, startedAt + (turn * 1_000) / perSecond - performance.now()));
  }
  await Promise.all(publishing);
  return publishedAt;
}

/** The milliseconds from publish to the first receipt: a repeated delivery does not count. */
async function timesToReceipt({ stack, arrivals }: Bench, publishedAt: PublishTimes) {
  const quotes = await quotesOfEvents(stack.description.postgresUrl);
  const receivedAt = new Map(arrivals.toReversed().map(({ eventId, at }) => [eventId, at]));
  const times = [...receivedAt].flatMap(([eventId, at]) => {
    const from = publishedAt.get(quotes.get(eventId) ?? '');
    return from === undefined ? [] : [at - from];
  });
  return summarise(times);
}

const percentiles = ({ p50, p95, p99 }: ReturnType<typeof summarise>) =>
  `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;

async function withPlatform<Result>(
  { stack, signal }: Bench,
  subscriptions: number,
  work: (publish: Publish) => Promise<Result>,
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

interface Figures {
  readonly title: string;
  readonly figures: readonly string[];
}

export function renderFigures({ title, figures }: Figures): readonly string[] {
  return [title, ...figures.map((line) => `  ${line}`)];
}

export function renderDeliveries(result: Figures & { readonly run: DeliveryRun }): readonly string[] {
  const { run } = result;
  const stored = sum(Object.values(run.stored)) / run.events;
  const counted = (name: string, digits: number) => (run.postgres[name] ?? 0).toFixed(digits);
  const processes = Object.entries(run.processors)
    .filter(([, milliseconds]) => milliseconds >= 0.005)
    .sort(([, one], [, other]) => other - one);
  return [
    ...renderFigures(result),
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
