import { once } from 'node:events';
import path from 'node:path';
import { isProcessRunning } from '@partner/test-kit/backing-services/process-identity';
import { Command, Option } from '@commander-js/extra-typings';
import { playDemo } from '../demo/play-demo.js';
import { seedWebhooks } from '../examples/seed-webhooks.js';
import { createProgress, paint, type Progress, textTable } from '../terminal.js';
import { runScript } from '../run-script.js';
import { inspectStack, type StackStatus } from '../stack/inspect-stack.js';
import { DEFAULT_DIRECTORY, STACK_DIRECTORY_VARIABLE, readStackState } from '../stack/stack-state.js';
import { StackError } from '../stack-error.js';
import { hasEndedWithin, lockHolder, thisProcess, withStackLock } from '../stack/stack-lock.js';
import type { StackOptions } from '../stack/stack-plan.js';
import { type Stack, startStack } from '../stack/start-stack.js';
import { removeStackData, stopStack } from '../stack/stop-stack.js';
import { renderAddresses, renderTour, renderWelcome } from './tour-text.js';
import { wholeNumber } from '../whole-number.js';

const USUAL_MOVES_PER_MINUTE = 30;

const OWNER_GRACE_MS = 60_000;

interface UpOptions extends Partial<StackOptions> {
  readonly hasExamples?: boolean;
  /** The stack's directory, to print the tour; absent: it is not printed. */
  readonly tourIn?: string;
}

const DOWN_ENDS = 'scripts/up --down stops the stack.';

const interruption = new AbortController();

function write(text: string): void {
  process.stdout.write(text);
}

const report: Progress = createProgress(write);

async function bringUp(directory: string, options: UpOptions): Promise<{ stack: Stack; ranBefore: boolean }> {
  return withStackLock(directory, async () => {
    const before = await inspectStack(directory);
    const ranBefore = before.processes.some(({ state }) => state !== 'ended');
    // A stack without any process is a new one: its backing services and ports are chosen again.
    if (!ranBefore && before.processes.length > 0) await stopStack(directory);
    const { proxy } = readStackState(directory)?.plan.ports ?? {};
    if (ranBefore && options.proxyPort !== undefined && options.proxyPort !== proxy) {
      throw new StackError(
        `the stack is already running on port ${String(proxy)}; stop it first with scripts/up --down`,
      );
    }
    if (before.isReady) report('the stack is already running');
    else if (ranBefore) report('part of the stack is running; starting what is missing');
    const stack = await startStack({
      directory,
      backingServices: { kind: 'found', environment: process.env },
      report,
      signal: interruption.signal,
      ...options,
      // Processes that join an existing stack survive this one.
      ...(ranBefore ? { detached: true, owned: false } : {}),
    });
    if (options.hasExamples === true && !ranBefore) await addExamples(stack);
    return { stack, ranBefore };
  });
}

/** Adds example webhooks. The stack is usable without them, so a failure is only reported. */
async function addExamples({ description }: Stack): Promise<void> {
  try {
    await seedWebhooks(description, interruption.signal);
    report('each company has example webhooks with deliveries of the last days');
  } catch (error) {
    report(`the example webhooks are incomplete: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function takeDown(directory: string): Promise<boolean> {
  const starter = lockHolder(directory);
  const owner = readStackState(directory)?.owner;
  const others = [starter, owner]
    .filter((other) => other !== undefined && other !== null)
    .filter((other) => other.pid !== process.pid && isProcessRunning(other));
  for (const other of others) {
    report(`asking scripts/up (process ${other.pid}) to stop`);
    process.kill(other.pid, 'SIGTERM');
    if (!(await hasEndedWithin(other, OWNER_GRACE_MS))) process.kill(other.pid, 'SIGKILL');
  }
  const hadAny = await withStackLock(directory, () => stopStack(directory));
  return hadAny || others.length > 0;
}

async function stay(stack: Stack): Promise<void> {
  const gone = new Set<string>();
  const watch = setInterval(() => {
    for (const { name, pid, logFile } of stack.processes) {
      // Its end is no failure: `--simulate 0` stops it.
      if (pid !== undefined || name === 'simulator') gone.delete(name);
      else if (!gone.has(name)) {
        gone.add(name);
        report(`${name} has stopped; its log is ${logFile}; scripts/up in another terminal starts it again`);
      }
    }
  }, 500);
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  clearInterval(watch);
}

function welcome({ description }: Stack, { tourIn }: UpOptions, end: string): void {
  if (tourIn !== undefined) write(renderTour(tourIn, description));
  write(`\n${renderWelcome(description, end)}`);
}

async function runForeground(directory: string, options: UpOptions): Promise<void> {
  const { stack, ranBefore } = await bringUp(directory, { ...options, owned: true });
  welcome(stack, options, ranBefore ? DOWN_ENDS : 'Ctrl-C stops the stack.');
  if (ranBefore) return;
  await stay(stack);
  write('\n');
  report('stopping the stack');
  // Waits until another scripts/up has repaired the stack; then it belongs to this one again.
  const holder = lockHolder(directory);
  if (holder !== undefined && holder.pid !== thisProcess().pid) await hasEndedWithin(holder, OWNER_GRACE_MS);
  await withStackLock(directory, () => stopStack(directory));
  report('everything has stopped');
}

async function runDetached(directory: string, options: UpOptions): Promise<void> {
  const { stack } = await bringUp(directory, { ...options, detached: true });
  welcome(stack, options, DOWN_ENDS);
}

async function runDemo(directory: string, options: Partial<StackOptions>): Promise<void> {
  const { stack, ranBefore } = await bringUp(directory, { ...options, detached: true });
  await playDemo({ description: stack.description, write, signal: interruption.signal });
  if (!ranBefore)
    write('\nThe demo has started the stack and leaves it running; scripts/up --down stops it.\n');
}

function renderStatus(status: StackStatus): string {
  if (status.processes.length === 0) return 'No stack is running here; scripts/up starts one.\n';
  const rows = status.processes.map(({ name, state, pid, address }) => {
    return [name, state, state === 'ended' ? '' : String(pid), address];
  });
  const lines = textTable([['process', 'state', 'pid', 'address'], ...rows], 'left');
  const verdict = status.isReady
    ? paint('green', `Everything is ready on ${status.description?.baseUrl ?? ''}`)
    : paint('red', 'Not everything is ready; scripts/up starts what is missing.');
  return `${lines.join('\n')}\n${verdict}\n`;
}

async function showStatus(directory: string): Promise<void> {
  const status: StackStatus = await inspectStack(directory);
  write(renderStatus(status));
  if (status.description !== undefined && status.isReady)
    write(`\n${renderAddresses(directory, status.description)}`);
  if (!status.isReady) process.exitCode = 1;
}

async function main(): Promise<void> {
  const program = new Command('scripts/up')
    .description(
      'Starts the whole service on this machine, with a sandbox, and prints where to begin.\n' +
        'Without an option it stays in the foreground; Ctrl-C stops everything.',
    )
    .addOption(
      new Option('--detach', 'leave the stack running in the background').conflicts(['down', 'status']),
    )
    .addOption(new Option('--status', 'show what is running, and where').conflicts(['down', 'reset', 'demo']))
    .addOption(new Option('--down', 'stop everything; the data stays').conflicts(['reset', 'demo']))
    .addOption(
      new Option('--tour', 'also print requests to try, with all keys and logins').conflicts([
        'down',
        'status',
        'demo',
      ]),
    )
    .option('--reset', 'stop everything, delete the data, and start again')
    .option('--demo', 'run the main scenario step by step on the stack; start one if there is none')
    .option(
      '--simulate [moves per minute]',
      'simulate the platform and the installers, 30 moves a minute by default; 0 stops the simulator',
      wholeNumber(0, 6_000),
    )
    .option('--no-webhooks', 'leave the companies without example webhooks')
    .option(
      '--port <port>',
      'port of the base address (default: 8080, or a free one)',
      wholeNumber(1, 65_535),
    )
    .addOption(
      new Option('--directory <path>', 'where the stack keeps its files; another one is another stack')
        .env(STACK_DIRECTORY_VARIABLE)
        .default(DEFAULT_DIRECTORY, '.stack'),
    )
    .addHelpText(
      'after',
      `
Postgres, RabbitMQ and Redis come from, in this order: POSTGRES_URL, AMQP_URL and REDIS_URL (of which only the database
"partner", the vhost "partner" and keys beginning with "partner:" are used); a running Docker engine; installed programs, as
private instances on free ports; packages, when root or sudo can install them.
stack.json in the directory says where everything is, and logs/ has a log for each process.`,
    )
    .allowExcessArguments(false)
    .parse();
  const options = program.opts();
  const { port, simulate } = options;
  const stackOptions = {
    ...(port === undefined ? {} : { proxyPort: port }),
    ...(simulate === undefined ? {} : { simulate: simulate === true ? USUAL_MOVES_PER_MINUTE : simulate }),
  };

  const directory = path.resolve(options.directory);
  if (options.status === true) return showStatus(directory);
  if (options.down === true || options.reset === true) {
    report((await takeDown(directory)) ? 'everything has stopped' : 'nothing was running');
    if (options.down === true) return;
    await withStackLock(directory, () => removeStackData(directory));
    report('the data is deleted');
  }
  if (options.demo === true) return runDemo(directory, stackOptions);
  const withExamples = {
    ...stackOptions,
    hasExamples: options.webhooks,
    ...(options.tour === true && { tourIn: directory }),
  };
  return options.detach === true
    ? runDetached(directory, withExamples)
    : runForeground(directory, withExamples);
}

await runScript('up', interruption, main);
