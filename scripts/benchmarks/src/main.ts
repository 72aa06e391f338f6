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

const feedOptions = z.object({ changes: z.int(), samples: z.int(), json: z.string().optional() });

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

const eventsOptions = z.object({ events: z.int(), json: z.string().optional() });

async function benchFlood(given: unknown): Promise<void> {
  const { events, json } = eventsOptions.parse(given);
  const report = createProgress(write);
  const result = await runFloodBench({ events, report, signal: interruption.signal });
  finish(result, renderFloodResult(result), json);
}

async function benchBacklog(given: unknown): Promise<void> {
  const { events, json } = eventsOptions.parse(given);
  const report = createProgress(write);
  const result = await runBacklogBench({ events, report, signal: interruption.signal });
  finish(result, renderBacklogResult(result), json);
}

const latencyOptions = z.object({ rate: z.int(), seconds: z.int(), json: z.string().optional() });

async function benchLatency(given: unknown): Promise<void> {
  const { rate: perSecond, seconds, json } = latencyOptions.parse(given);
  const report = createProgress(write);
  const result = await runLatencyBench({ perSecond, seconds, report, signal: interruption.signal });
  finish(result, renderLatencyResult(result), json);
}

const fairnessOptions = z.object({ burst: z.int(), seconds: z.int(), json: z.string().optional() });

async function benchFairness(given: unknown): Promise<void> {
  const { burst, seconds, json } = fairnessOptions.parse(given);
  const report = createProgress(write);
  const result = await runFairnessBench({ burst, seconds, report, signal: interruption.signal });
  finish(result, renderFairnessResult(result), json);
}

async function benchFeed(given: unknown): Promise<void> {
  const { changes, samples, json } = feedOptions.parse(given);
  const report = createProgress(write);
  const result = await runFeedBench({ changes, samples, report, signal: interruption.signal });
  finish(result, renderFeedResult(result), json);
}

const backoffOptions = z.object({
  deliveries: z.int(),
  retries: z.int(),
  base: z.int(),
  json: z.string().optional(),
});

async function benchBackoff(given: unknown): Promise<void> {
  const { deliveries, retries, base, json } = backoffOptions.parse(given);
  const report = createProgress(write);
  const options = { deliveries, retries, baseMs: base, report, signal: interruption.signal };
  const result = await runBackoffBench(options);
  finish(result, renderBackoffResult(result), json);
}

const apiOptions = z.object({
  operation: z.array(z.string()),
  connections: z.array(z.int()),
  rounds: z.int(),
  seconds: z.int(),
  json: z.string().optional(),
});

async function benchApi(given: unknown): Promise<void> {
  const { operation: operations, json, ...sizes } = apiOptions.parse(given);
  const report = createProgress(write);
  const result = await runApiBench({ ...sizes, operations, report, signal: interruption.signal });
  finish(result, renderApiResult(result), json);
}

function finish(
  result: { readonly benchmark: string; readonly holds?: boolean },
  text: string,
  json: string | undefined,
): void {
  write(`\n${text}`);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  if (result.holds === false) process.exitCode = 1;
}

const program = new Command('scripts/bench')
  .description(
    'Measures the service on this machine, on a stack of its own that ends with it. Except for backoff, the bounds are\n' +
      'ratios within one run: they hold on any machine.',
  )
  .showHelpAfterError('(see scripts/bench --help)');
program
  .command('feed')
  .description(
    `the change feed of a company with many changes against that of one with ${SHORT_FEED.toLocaleString('en')}`,
  )
  .option('--changes <number>', 'changes of the long feed', wholeNumber(SHORT_FEED), 1_000_000)
  .option('--samples <number>', 'measured requests of each company in each way', wholeNumber(1), 1_000)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchFeed);

program
  .command('api')
  .description(
    'cost of each operation of the inbound and installer surfaces, beside the least that could do it',
  )
  .option(
    '--operation <name...>',
    `only operations whose names hold one of these: ${API_OPERATIONS.map(({ name }) => name).join('; ')}`,
    [],
  )
  .option('--connections <numbers...>', 'connections at once', wholeNumbers(1), [1, 32])
  .option('--rounds <number>', 'rounds, of which the median counts', wholeNumber(1), 5)
  .option('--seconds <number>', 'seconds of each slice of a round', wholeNumber(1), 1)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchApi);

program
  .command('flood')
  .description('events from their publish by 32 publishers to the recorded results, and what each costs')
  .option('--events <number>', 'events to publish', wholeNumber(100), 20_000)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchFlood);

program
  .command('backlog')
  .description('a backlog of due deliveries to the recorded results, beside a bare loop of signed POSTs')
  .option('--events <number>', 'size of the backlog', wholeNumber(1_000), 20_000)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchBacklog);

program
  .command('latency')
  .description('events at a steady rate, from their publish to the receipt of the webhook')
  .option('--rate <number>', 'events per second', wholeNumber(1), 100)
  .option('--seconds <number>', 'length of the measurement', wholeNumber(1), 30)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchLatency);

program
  .command('fairness')
  .description('what healthy endpoints feel of endpoints that hang and of a burst of another company')
  .option('--burst <number>', 'events of the burst', wholeNumber(100), 20_000)
  .option('--seconds <number>', 'length of each phase', wholeNumber(5), 30)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchFairness);

program
  .command('backoff')
  .description('when the retries of an endpoint that responds with 503, and of one that hangs, start')
  .option('--deliveries <number>', 'deliveries to each endpoint', wholeNumber(1), 200)
  .option('--retries <number>', 'measured retries of each delivery', wholeNumber(1), 2)
  .option('--base <milliseconds>', 'backoff after the first attempt', wholeNumber(1), 60_000)
  .option('--json <file>', 'also write the result to a file')
  .allowExcessArguments(false)
  .action(benchBackoff);

// Nobody reads any more, e.g. behind head; the work goes on.
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
