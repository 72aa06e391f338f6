import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { Command } from '@commander-js/extra-typings';
import { createProgress } from '@partner/local-stack/terminal';
import { runScript } from '@partner/local-stack/run-script';
import { wholeNumber } from '@partner/local-stack/whole-number';
import { renderApi, runApiBench } from './api-bench.js';
import { API_OPERATIONS } from './api-operations.js';
import { type Bench, type BenchStackOptions, startBenchStack } from './bench-stack.js';
import {
  renderDeliveries,
  renderFigures,
  runBacklog,
  runFlood,
  runHeldSnapshot,
  runLatency,
} from './delivery-bench.js';

const interruption = new AbortController();

function write(text: string): void {
  process.stdout.write(text);
}

/** Reads an option that can be repeated; without it the default applies. */
function wholeNumbers(least: number): (text: string) => number[] {
  const given: number[] = [];
  return (text) => {
    given.push(wholeNumber(least)(text));
    return given;
  };
}

function delivery({ dispatchers = 1 }: { readonly dispatchers?: number } = {}) {
  const surfaces = { 'inbound-gateway': 0, 'installer-gateway': 0, console: 0 };
  return { replicas: { ...surfaces, 'webhook-dispatcher': dispatchers }, durable: true };
}

const program = new Command('scripts/bench')
  .description('Measures the service on this machine, on a separate stack that is removed afterwards.')
  .showHelpAfterError('(see scripts/bench --help)');

function benchmark(name: string, description: string) {
  return program
    .command(name)
    .description(description)
    .option('--json <file>', 'also write the result to a file')
    .allowExcessArguments(false);
}

async function measure<Options extends { readonly json?: string }, Result extends object>(
  name: string,
  options: Options,
  stack: BenchStackOptions,
  run: (bench: Bench, options: Options) => Promise<Result>,
  render: (result: Result) => readonly string[],
): Promise<void> {
  const bench = await startBenchStack({
    ...stack,
    report: createProgress(write),
    signal: interruption.signal,
  });
  let result: Result;
  try {
    result = await run(bench, options);
  } finally {
    await bench.discard();
  }
  const machine = describeMachine();
  const { cores, processor, memoryGiB, node, system } = machine;
  const where = `${cores} cores (${processor}), ${memoryGiB} GiB, Node ${node}, ${system}`;
  write(`\n${[where, '', ...render(result), ''].join('\n')}`);
  const { json } = options;
  if (json !== undefined) {
    const git = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' });
    const commit = git.error === undefined ? git.stdout.trim() : 'unknown';
    const command = process.argv.slice(2).map((word) => (word.includes(' ') ? `'${word}'` : word));
    const made = { command: command.join(' '), commit, measuredAt: new Date(), machine };
    writeFileSync(json, `${JSON.stringify({ benchmark: name, ...made, ...result }, null, 2)}\n`);
  }
}

function describeMachine() {
  const processors = cpus();
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryGiB: Math.round((totalmem() / 2 ** 30) * 10) / 10,
    node: process.version,
    system: `${type()} ${release()}`,
  };
}

benchmark(
  'api',
  'cost of each operation of the inbound and installer surfaces, compared with a minimal service',
)
  .option(
    '--operation <name...>',
    `only operations whose names contain one of these: ${API_OPERATIONS.map(({ name }) => name).join('; ')}`,
    [],
  )
  .option('--connections <numbers...>', 'concurrent connections', wholeNumbers(1), [1, 32])
  .option('--rounds <number>', 'rounds; the result is their median', wholeNumber(1), 5)
  .option('--seconds <number>', 'seconds of each slice of a round', wholeNumber(1), 1)
  .action((options) => {
    const stack = { replicas: { console: 0, 'webhook-dispatcher': 0 }, durable: true };
    return measure('api', options, stack, runApiBench, renderApi);
  });

benchmark('flood', 'events from publish, by 32 publishers, to the recorded result, and the cost of each')
  .option('--events <number>', 'events to publish', wholeNumber(100), 20_000)
  .option(
    '--subscriptions <number>',
    'webhooks of each company; each of them gets every event',
    wholeNumber(1),
    1,
  )
  .option('--dispatchers <number>', 'replicas of the dispatcher', wholeNumber(1), 1)
  .action((options) => measure('flood', options, delivery(options), runFlood, renderDeliveries));

benchmark('backlog', 'a backlog of due deliveries, until their results are recorded')
  .option('--events <number>', 'size of the backlog', wholeNumber(1_000), 20_000)
  .option('--dispatchers <number>', 'replicas of the dispatcher', wholeNumber(1), 1)
  .action((options) => measure('backlog', options, delivery(options), runBacklog, renderDeliveries));

benchmark('latency', 'events at a steady rate, from publish to receipt of the webhook')
  .option('--rate <number>', 'events per second', wholeNumber(1), 100)
  .option('--seconds <number>', 'length of the measurement', wholeNumber(1), 30)
  .action((options) => measure('latency', options, delivery(), runLatency, renderDeliveries));

benchmark(
  'held-snapshot',
  'a steady rate and a flood beside a transaction that stays open, against the same without it',
)
  .option('--rate <number>', 'events per second', wholeNumber(1), 300)
  .option('--minutes <number>', 'age of the snapshot when the last minute ends', wholeNumber(1), 30)
  .option('--events <number>', 'events of each flood', wholeNumber(100), 20_000)
  .action((options) => measure('held-snapshot', options, delivery(), runHeldSnapshot, renderFigures));

await runScript('bench', interruption, () => program.parseAsync());
