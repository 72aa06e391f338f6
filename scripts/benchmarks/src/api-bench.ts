import { setTimeout as delay } from 'node:timers/promises';
import { withPostgres } from '@partner/test-kit/backing-services/postgres';
import type { Stack } from '@partner/local-stack/stack/start-stack';
import { API_OPERATIONS, type ApiOperation, type SendRequest } from './api-operations.js';
import type { Bench } from './bench-stack.js';
import { type ApiWorld, COMPANIES_AT_ONCE, fillApi } from './fill-api.js';
import { createHttpClient, type HttpClient } from './http-client.js';
import { readStorage, withPostgresCounters } from './postgres-counters.js';
import { type Baseline, startBaseline } from './start-baseline.js';
import { textTable } from '@partner/local-stack/terminal';
import {
  coresOfOthers,
  type Counters,
  createUsageMeter,
  growth,
  mapCounters,
  quantileOf,
  sum,
  summarise,
  type Usage,
} from './usage-meter.js';

const IDLE_MS = 2_000;
/** Each operation first runs this long unmeasured, so that the first measured one is compiled like the last. */
const WARM_UP_MS = 2_000;
/** The time for the rest of a write, such as its message to the platform; it counts as cost of the write. */
const SETTLE_MS = 200;

/**
 * Measures the cost of each operation of the inbound and installer surfaces: rate, latency, processor time of each
 * process, statements. In each round it sends requests for some seconds to the service and to the baseline. The baseline
 * is a gateway and a worker that do the minimum with the same number of bytes on the same servers.
 */
export async function runApiBench(
  { stack, report, signal }: Bench,
  options: {
    readonly operation: readonly string[];
    readonly connections: readonly number[];
    readonly rounds: number;
    readonly seconds: number;
  },
) {
  const { rounds, seconds } = options;
  const operations = API_OPERATIONS.filter(
    ({ name }) => options.operation.length === 0 || options.operation.some((part) => name.includes(part)),
  );
  const baseline = await startBaseline(stack);
  const { services } = stack.description;
  const clients = {
    'inbound-gateway': createHttpClient(services['inbound-gateway']?.url ?? ''),
    'installer-gateway': createHttpClient(services['installer-gateway']?.url ?? ''),
    baseline: createHttpClient(baseline.url),
  };
  try {
    const world = await withPostgres(stack.description.postgresUrl, fillApi);
    report(`${world.installers.length} installer and ${world.sellers.length} selling companies have jobs`);
    // Each row was updated once, so that the old versions are part of it.
    const jobBytes = ((await readStorage(stack))['jobs'] ?? 0) / world.jobs.length;
    const comparisons = await withPostgresCounters(stack, async (readCounters) => {
      const deps = { rounds, seconds, signal, stack, baseline, world, readCounters, clients };
      const bench = await createApiMeasurement(deps);
      for (const operation of operations) await bench.warmUp(operation, Math.max(...options.connections));
      report('warm');
      const made = [];
      for (const operation of operations) {
        for (const connections of options.connections) {
          made.push(await bench.compare(operation, connections));
        }
        report(operation.name);
      }
      return made;
    });
    return { rounds, seconds, comparisons, jobBytes };
  } finally {
    for (const client of Object.values(clients)) client.close();
    await baseline.stop();
  }
}

export function renderApi({ rounds, seconds, comparisons }: Awaited<ReturnType<typeof runApiBench>>) {
  const rates = comparisons.map(({ operation, connections, ours, baseline, ratio, coresOfOthers }) => [
    operation,
    String(connections),
    ours.perSecond.toFixed(0),
    baseline.perSecond.toFixed(0),
    ratio.toFixed(2),
    ...[ours.p50, ours.p95, ours.p99, baseline.p50, baseline.p99].map((time) => time.toFixed(1)),
    coresOfOthers.toFixed(1),
  ]);
  const costs = comparisons.map(({ operation, connections, ours, baseline, stored }) => {
    const [gateway, jobState, postgres, rabbitmq, redis] = Object.values(ours.processors);
    const times = [ours.processorMs, gateway, jobState, postgres, rabbitmq, redis, baseline.processorMs];
    const { statements, waits, writes, walBytes } = ours.postgres;
    const storedBytes = sum(Object.values(stored)) / ours.samples;
    return [
      operation,
      String(connections),
      ...times.map((time = 0) => time.toFixed(2)),
      (baseline.processorMs / ours.processorMs).toFixed(2),
      ...[statements, waits, writes].map((count = 0) => count.toFixed(1)),
      ...[walBytes, storedBytes, ours.brokerBytes].map((bytes = 0) => bytes.toFixed(0)),
    ];
  });
  const rateHeadings =
    ', connections, requests/s, baseline/s, ratio, p50 ms, p95, p99, baseline p50, p99, busy elsewhere';
  const costHeadings =
    'processor time in ms a request, connections, sum, gateway, job-state, Postgres, RabbitMQ, Redis, baseline, ratio, statements, waits, writing tx, WAL bytes, stored, broker';
  return [
    `Medians of ${rounds} rounds of ${seconds} s, the service and its baseline in turn.`,
    'Busy elsewhere: cores that other processes of the machine used at the same time.',
    '',
    ...textTable([rateHeadings.split(', '), ...rates], 'right'),
    '',
    ...textTable([costHeadings.split(', '), ...costs], 'right'),
  ];
}

/** Sends requests, one after the other on each connection, until the time is over. The first failure ends it. */
async function sendRequests(options: {
  readonly connections: number;
  readonly milliseconds: number;
  readonly send: SendRequest;
  readonly firstNumber: number;
  readonly signal: AbortSignal;
}) {
  const durations: number[] = [];
  const startedAt = performance.now();
  let end = startedAt + options.milliseconds;
  let next = options.firstNumber;
  const connection = async () => {
    do {
      options.signal.throwIfAborted();
      const sentAt = performance.now();
      next += 1;
      await options.send(next);
      durations.push(performance.now() - sentAt);
    } while (performance.now() < end);
  };
  try {
    await Promise.all(Array.from({ length: options.connections }, connection));
  } finally {
    end = 0;
  }
  return { durations, perSecond: (durations.length * 1_000) / (performance.now() - startedAt) };
}

interface ApiUsage extends Usage {
  /** Counts the stack's database only, apart from `writes` and `walBytes`. */
  readonly postgres: Counters;
}

/** The requests of a round. Durations are in milliseconds. */
interface Slice extends ApiUsage {
  readonly durations: readonly number[];
  readonly perSecond: number;
}

interface Contender {
  readonly processes: readonly string[];
  readonly prepare: () => Promise<SendRequest>;
  readonly slices: Slice[];
}

/** Returns the average usage of a request in all the given slices, less the usage of idle processes in the same time. */
function usagePerRequest(slices: readonly Slice[], idle: ApiUsage) {
  const requests = sum(slices.map(({ durations }) => durations.length));
  const elapsedMs = sum(slices.map((slice) => slice.elapsedMs));
  const above = (of: (usage: ApiUsage) => number) =>
    Math.max(0, sum(slices.map(of)) - (of(idle) * elapsedMs) / idle.elapsedMs) / requests;
  return {
    processors: mapCounters(idle.processors, (_, name) => above(({ processors }) => processors[name] ?? 0)),
    postgres: mapCounters(idle.postgres, (_, name) => above(({ postgres }) => postgres[name] ?? 0)),
    brokerBytes: above(({ brokerBytes }) => brokerBytes),
  };
}

/** Measures the idle processes first, whose usage is no cost of a request. */
async function createApiMeasurement(deps: {
  readonly rounds: number;
  readonly seconds: number;
  readonly signal: AbortSignal;
  readonly stack: Stack;
  readonly baseline: Baseline;
  readonly world: ApiWorld;
  readonly readCounters: () => Promise<Counters>;
  readonly clients: Readonly<Record<ApiOperation['surface'] | 'baseline', HttpClient>>;
}) {
  const { stack, baseline, world, readCounters, clients } = deps;
  const measure = createUsageMeter(stack, [...baseline.processes, { process: 'client', pid: process.pid }]);
  let sent = 0;
  let sellersUsed = 0;

  function nextSellers() {
    sellersUsed += COMPANIES_AT_ONCE;
    const from = sellersUsed % world.sellers.length;
    return world.sellers.slice(from, from + COMPANIES_AT_ONCE);
  }

  async function measureWithPostgres<T extends object>(work: () => Promise<T>): Promise<T & ApiUsage> {
    const { result, usage } = await measure(async () => {
      const counters = await readCounters();
      return { counters, made: await work() };
    });
    return { ...result.made, ...usage, postgres: growth(result.counters, await readCounters()) };
  }

  const idle = await measureWithPostgres(async () => {
    await delay(IDLE_MS);
    return {};
  });

  async function addSlice(contender: Contender, connections: number, milliseconds: number): Promise<void> {
    const send = await contender.prepare();
    const slice = await measureWithPostgres(async () => {
      const { signal } = deps;
      const made = await sendRequests({ connections, milliseconds, send, firstNumber: sent, signal });
      await delay(SETTLE_MS);
      return made;
    });
    sent += slice.durations.length + connections;
    contender.slices.push(slice);
  }

  /** Returns the cost of a request. Times are in milliseconds. */
  function costOf({ slices, processes: names }: Contender) {
    const used = usagePerRequest(slices, idle);
    const rates = slices.map(({ perSecond }) => perSecond);
    const processorMs = names.map((name): [string, number] => [name, used.processors[name] ?? 0]);
    return {
      ...summarise(slices.flatMap(({ durations }) => durations)),
      perSecond: quantileOf(rates, 0.5),
      processors: { ...Object.fromEntries(processorMs), client: used.processors['client'] ?? 0 },
      processorMs: sum(processorMs.map(([, ms]) => ms)),
      postgres: used.postgres,
      brokerBytes: used.brokerBytes,
    };
  }

  async function contendersOf(operation: ApiOperation): Promise<readonly [Contender, Contender]> {
    const http = clients[operation.surface];
    const prepareOurs = () => operation.prepare({ http, world, sellers: nextSellers() });
    sent += 1;
    const { text } = await (await prepareOurs())(sent);
    await baseline.putRow(operation.surface, text);
    const row = { apiKey: '', path: `/rows/${operation.surface}` };
    const ours: Contender = {
      processes: [operation.surface, 'job-state', 'postgres', 'rabbitmq', 'redis'],
      prepare: prepareOurs,
      slices: [],
    };
    const least: Contender = {
      processes: [...baseline.processes.map(({ process }) => process), 'postgres', 'rabbitmq'],
      prepare: async () => () =>
        clients.baseline.send(
          operation.writes
            ? { ...row, method: 'POST', path: '/rows', body: text, status: 201 }
            : { ...row, method: 'GET', status: 200 },
        ),
      slices: [],
    };
    return [ours, least];
  }

  return {
    async warmUp(operation: ApiOperation, connections: number): Promise<void> {
      const milliseconds = Math.min(WARM_UP_MS, deps.seconds * WARM_UP_MS);
      for (const contender of await contendersOf(operation)) {
        await addSlice(contender, connections, milliseconds);
      }
    },
    async compare(operation: ApiOperation, connections: number) {
      const [ours, least] = await contendersOf(operation);
      const storage = await readStorage(stack);
      for (let round = 0; round < deps.rounds; round += 1) {
        for (const contender of round % 2 === 0 ? [ours, least] : [least, ours]) {
          await addSlice(contender, connections, deps.seconds * 1_000);
        }
      }
      const costs = { ours: costOf(ours), baseline: costOf(least) };
      // The ratio of the medians of the rounds.
      const ratio = costs.ours.perSecond / costs.baseline.perSecond;
      const others = coresOfOthers([...ours.slices, ...least.slices]);
      const stored = growth(storage, await readStorage(stack));
      return { operation: operation.name, connections, ...costs, ratio, coresOfOthers: others, stored };
    },
  };
}
