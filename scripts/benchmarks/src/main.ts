import { writeFileSync } from 'node:fs';
import { LocalPartError } from '@partner/test-kit/backing-services/local-process';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { createProgress } from '@partner/local-stack/progress';
import { StackError } from '@partner/local-stack/stack-error';
import { runApiBench } from './api-bench.js';
import { API_OPERATIONS } from './api-operations.js';
import { runBackoffBench } from './backoff-bench.js';
import { runBacklogBench } from './backlog-bench.js';
import { type Bench, type BenchStackOptions, startBenchStack } from './bench-stack.js';
import { runFloodBench } from './flood-bench.js';
import { runLatencyBench } from './latency-bench.js';
import { runFeedBench, SHORT_FEED } from './feed-bench.js';
import { runFairnessBench } from './fairness-bench.js';
import { renderApiResult } from './render-api-result.js';
import { renderBackoffResult } from './render-backoff-result.js';
import { renderFairnessResult } from './render-fairness-result.js';
import { renderBacklogResult, renderFloodResult, renderLatencyResult } from './render-delivery-results.js';
import { renderFeedResult } from './render-feed-result.js';

const interruption = new AbortController();

function write(text: string): void {
  process.stdout.write(text);
}

function wholeNumber(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} on.`);
    }
    return value;
  };
}

/** Reads an option that can be given more than once; without it the default holds. */
function wholeNumbers(least: number): (text: string) => number[] {
  const given: number[] = [];
  return (text) => {
    given.push(wholeNumber(least)(text));
    return given;
  };
}

/** The services that deliver, without the surfaces. */
const DELIVERY_SERVICES = { 'inbound-gateway': 0, 'installer-gateway': 0, console: 0 } as const;

const program = new Command('scripts/bench')
  .description(
    'Measures the service on this machine, on a stack of its own that ends with it. Except for backoff, the bounds are\n' +
      'ratios within one run: they hold on any machine.',
  )
  .showHelpAfterError('(see scripts/bench --help)');

/** Adds a command that measures on a stack of its own. Its options are those of `sizes`. */
function addBenchmark<
  Sizes,
  Result extends { readonly benchmark: string; readonly holds?: boolean },
>(benchmark: {
  readonly name: string;
  readonly description: string;
  readonly sizes: z.ZodType<Sizes>;
  readonly stack: (sizes: Sizes) => BenchStackOptions;
  readonly run: (bench: Bench, sizes: Sizes) => Promise<Result>;
  readonly render: (result: Result) => string;
}): Command {
  return program
    .command(benchmark.name)
    .description(benchmark.description)
    .option('--json <file>', 'also write the result to a file')
    .allowExcessArguments(false)
    .action(async (given: unknown) => {
      const sizes = benchmark.sizes.parse(given);
      const { json } = z.object({ json: z.string().optional() }).parse(given);
      const { signal } = interruption;
      const bench = await startBenchStack({
        ...benchmark.stack(sizes),
        report: createProgress(write),
        signal,
      });
      let result: Result;
      try {
        result = await benchmark.run(bench, sizes);
      } finally {
        await bench.discard();
      }
      write(`\n${benchmark.render(result)}`);
      if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
      if (result.holds === false) process.exitCode = 1;
    });
}

addBenchmark({
  name: 'feed',
  description: `the change feed of a company with many changes against that of one with ${SHORT_FEED.toLocaleString('en')}`,
  sizes: z.object({ changes: z.int(), samples: z.int() }),
  stack: () => ({ replicas: { 'inbound-gateway': 0, console: 0, 'webhook-dispatcher': 0 } }),
  run: runFeedBench,
  render: renderFeedResult,
})
  .option('--changes <number>', 'changes of the long feed', wholeNumber(SHORT_FEED), 1_000_000)
  .option('--samples <number>', 'measured requests of each company in each way', wholeNumber(1), 1_000);

addBenchmark({
  name: 'api',
  description:
    'cost of each operation of the inbound and installer surfaces, beside the least that could do it',
  sizes: z.object({
    operation: z.array(z.string()),
    connections: z.array(z.int()),
    rounds: z.int(),
    seconds: z.int(),
  }),
  stack: () => ({ replicas: { console: 0, 'webhook-dispatcher': 0 }, durable: true }),
  run: runApiBench,
  render: renderApiResult,
})
  .option(
    '--operation <name...>',
    `only operations whose names hold one of these: ${API_OPERATIONS.map(({ name }) => name).join('; ')}`,
    [],
  )
  .option('--connections <numbers...>', 'connections at once', wholeNumbers(1), [1, 32])
  .option('--rounds <number>', 'rounds, of which the median counts', wholeNumber(1), 5)
  .option('--seconds <number>', 'seconds of each slice of a round', wholeNumber(1), 1);

addBenchmark({
  name: 'flood',
  description: 'events from their publish by 32 publishers to the recorded results, and what each costs',
  sizes: z.object({ events: z.int() }),
  stack: () => ({ replicas: DELIVERY_SERVICES, durable: true }),
  run: runFloodBench,
  render: renderFloodResult,
}).option('--events <number>', 'events to publish', wholeNumber(100), 20_000);

addBenchmark({
  name: 'backlog',
  description: 'a backlog of due deliveries to the recorded results, beside a bare loop of signed POSTs',
  sizes: z.object({ events: z.int() }),
  stack: () => ({ replicas: DELIVERY_SERVICES, durable: true }),
  run: runBacklogBench,
  render: renderBacklogResult,
}).option('--events <number>', 'size of the backlog', wholeNumber(1_000), 20_000);

addBenchmark({
  name: 'latency',
  description: 'events at a steady rate, from their publish to the receipt of the webhook',
  sizes: z.object({ rate: z.int(), seconds: z.int() }),
  stack: () => ({ replicas: DELIVERY_SERVICES, durable: true }),
  run: runLatencyBench,
  render: renderLatencyResult,
})
  .option('--rate <number>', 'events per second', wholeNumber(1), 100)
  .option('--seconds <number>', 'length of the measurement', wholeNumber(1), 30);

addBenchmark({
  name: 'fairness',
  description: 'what healthy endpoints feel of endpoints that hang and of a burst of another company',
  sizes: z.object({ burst: z.int(), seconds: z.int() }),
  stack: () => ({ replicas: DELIVERY_SERVICES }),
  run: runFairnessBench,
  render: renderFairnessResult,
})
  .option('--burst <number>', 'events of the burst', wholeNumber(100), 20_000)
  .option('--seconds <number>', 'length of each phase', wholeNumber(5), 30);

addBenchmark({
  name: 'backoff',
  description: 'when the retries of an endpoint that responds with 503, and of one that hangs, start',
  sizes: z.object({ deliveries: z.int(), retries: z.int(), base: z.int() }),
  stack: ({ base }) => ({
    replicas: DELIVERY_SERVICES,
    settings: { 'job-state': { WEBHOOK_RETRY_BASE_MS: String(base) } },
  }),
  run: runBackoffBench,
  render: renderBackoffResult,
})
  .option('--deliveries <number>', 'deliveries to each endpoint', wholeNumber(1), 200)
  .option('--retries <number>', 'measured retries of each delivery', wholeNumber(1), 2)
  .option('--base <milliseconds>', 'backoff after the first attempt', wholeNumber(1), 60_000);

// The reader has gone, e.g. behind head; the work goes on.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => interruption.abort(new StackError(`ended by ${signal}`)));
}
try {
  await program.parseAsync();
  process.exit();
} catch (error) {
  const isForPeople =
    interruption.signal.aborted || error instanceof StackError || error instanceof LocalPartError;
  process.stderr.write(
    `scripts/bench: ${isForPeople && error instanceof Error ? error.message : String(error instanceof Error ? error.stack : error)}\n`,
  );
  process.exit(interruption.signal.aborted ? 130 : 1);
}
