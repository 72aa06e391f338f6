import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { startPostgres } from '@partner/test-kit/backing-services/postgres';
import { startRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { startRedis } from '@partner/test-kit/backing-services/redis';
import { SHARE_REDIS_DATABASES, SHARE_VHOSTS } from '@partner/test-kit/backing-services/take-server-share';
import { Command, InvalidArgumentError, Option } from 'commander';
import { installMissingPrograms } from '@partner/local-stack/backing-services/install-missing-programs';
import { BACKING_SERVICES } from '@partner/local-stack/backing-services/backing-service';
import { StackError } from '@partner/local-stack/stack-error';
import { startBusyLoops } from './busy-loops.js';
import { runProgram, runJest, seedOption } from './run-jest.js';
import { type ReleaseTest, releaseTests, writePassed } from './release-tests.js';
import { beginRun, runSettled } from './test-run.js';

const root = path.resolve(import.meta.dirname, '../../..');

const KINDS = ['static', 'unit', 'int', 'sys'] as const;
type Kind = (typeof KINDS)[number];

function changedModules(base: string): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  return [
    ...git('diff', '--name-only', '--diff-filter=d', base, '--'),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
    .map((file) => file.replace('/src/', '/dist/').replace(/\.tsx?$/, '.js'))
    .filter((file) => file.includes('/dist/') && existsSync(path.join(root, file)));
}

/** Concurrent test files: most wait for servers more than they compute. */
const FILES_AT_ONCE = 3;

const LIMIT_MINUTES = 120;

/**
 * Runs tests of several kinds together, so that those that compute fill the time in which others wait. Attacks take all cores: they
 * follow one by one.
 */
async function runKinds(
  scratch: string,
  kinds: readonly Kind[],
  { tests, release }: Pick<ReturnType<typeof readOptions>, 'tests' | 'release'>,
  env: NodeJS.ProcessEnv,
) {
  const run = (filesAtOnce: number, projects: readonly string[]) =>
    runJest({
      limitMs: LIMIT_MINUTES * 60_000,
      args: [
        '--config=scripts/jest.config.mjs',
        `--maxWorkers=${filesAtOnce}`,
        '--selectProjects',
        ...projects,
        ...tests,
      ],
      reportFile: path.join(scratch, `jest-${projects.join('-')}.json`),
      env: { ...env, RELEASE_TESTS: release.map(({ pattern }) => pattern).join('|') },
    });
  const together = await run(FILES_AT_ONCE, release.length > 0 ? [...kinds, 'release'] : kinds);
  const hasPassed = ({ pattern }: ReleaseTest) =>
    together.passedFiles.some((file) => new RegExp(pattern).test(file));
  if (release.some(hasPassed)) writePassed(release.filter(hasPassed));
  return kinds.includes('sys') ? [together, await run(1, ['alone'])] : [together];
}

function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1 to 999.');
}

function readOptions() {
  const program = new Command('scripts/test')
    .description(
      'Runs the static checks and every test on real Postgres, RabbitMQ and Redis, which it starts and stops itself.',
    )
    .addOption(new Option('--only <kinds...>', 'run only these kinds').choices(KINDS))
    .addOption(
      new Option(
        '--release',
        'also run the tests that take long and rarely fail; without this and other options only those run of which a file has changed since they passed',
      ).conflicts('changed'),
    )
    .addOption(
      new Option('--changed [base]', 'run no system test, and only those others that import a changed file')
        .preset('HEAD')
        .conflicts('only'),
    )
    .addOption(
      new Option(
        '--mutants [module]',
        'test the tests: change each module that holds rules (or those whose path matches), one place at a time, and print what no test notices',
      )
        .preset('')
        .conflicts(['only', 'changed', 'release', 'times']),
    )
    .addOption(seedOption('fixed'))
    .option('--times <number>', 'run the tests this many times, each with the next seed', wholeNumber)
    .option('--load <loops>', 'busy loops beside the tests, every fourth one on the disk', wholeNumber)
    .argument('[pattern]', 'run only test files whose path matches')
    .allowExcessArguments(false)
    .parse();
  const options = program.opts<{
    only?: Kind[];
    release?: true;
    changed?: string;
    mutants?: string;
    seed?: number;
    times?: number;
    load?: number;
  }>();
  const { changed, mutants } = options;
  const { times = 1, load = 0, seed = times > 1 ? 1 : undefined } = options;
  const seeds = Array.from({ length: times }, (_, round) => (seed === undefined ? seed : seed + round));
  if (changed !== undefined) {
    const files = changedModules(changed);
    const only: readonly Kind[] = files.length > 0 ? ['static', 'unit', 'int'] : ['static'];
    return {
      only,
      release: [],
      tests: ['--findRelatedTests', '--', ...files],
      pattern: undefined,
      ...{ mutants, seeds, load },
    };
  }
  // The tests of some rules need servers.
  const only: readonly Kind[] = mutants === undefined ? (options.only ?? KINDS) : ['int'];
  const mayBeDue = options.only === undefined && mutants === undefined;
  const release = releaseTests().filter(({ isDue }) => options.release ?? (mayBeDue && isDue));
  const [pattern] = program.args;
  return { only, release, tests: ['--', ...program.args], pattern, ...{ mutants, seeds, load } };
}

/** Only root can run the tests of containers. Without these tools they are skipped. */
async function installContainerTools(): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return;
  try {
    await installMissingPrograms(undefined, ['docker', 'mmdebstrap']);
  } catch (error) {
    if (!(error instanceof StackError)) throw error;
    process.stderr.write(`the tests of containers are skipped: ${error.message}\n`);
  }
}

/** Starts the servers that all tests of a run share: Postgres, RabbitMQ and Redis. Unit tests need none. */
async function startServers(scratch: string, kinds: readonly Kind[]) {
  if (kinds.every((kind) => kind === 'unit')) return { env: {}, stop: () => Promise.resolve() };
  const place = async (name: string) => ({ directory: path.join(scratch, name), port: await freePort() });
  const [postgres, rabbitmq, redis] = await Promise.all([
    place('postgres').then((at) => startPostgres({ ...at, durable: false })),
    place('rabbitmq').then((at) => startRabbitmq({ ...at, vhosts: SHARE_VHOSTS })),
    place('redis').then((at) => startRedis({ ...at, databases: SHARE_REDIS_DATABASES })),
  ]);
  return {
    env: { TEST_POSTGRES_URL: postgres.url, TEST_AMQP_URL: rabbitmq.url, TEST_REDIS_URL: redis.url },
    async stop() {
      await Promise.all([postgres.stop(), rabbitmq.stop(), redis.stop()]);
    },
  };
}

const LONGEST = 30;

/** Says what to make quicker first. */
function printLongest(durations: readonly { readonly file: string; readonly ms: number }[]): void {
  if (durations.length <= LONGEST) return;
  const sorted = durations.toSorted((a, b) => b.ms - a.ms).slice(0, LONGEST);
  const lines = sorted.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}\n`);
  process.stdout.write(`longest of ${durations.length} files:\n${lines.join('')}`);
}

async function main(
  { only, release, tests, pattern, mutants, seeds, load }: ReturnType<typeof readOptions>,
  scratch: string,
): Promise<boolean> {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const durations: { readonly file: string; readonly ms: number }[] = [];
  let succeeded = true;
  if (only.includes('static')) {
    succeeded = (await runProgram(process.execPath, ['scripts/checks/dist/static-checks.js'])) === 0;
    if (!succeeded) totals.failed += 1;
  }
  const kinds = only.filter((kind) => kind !== 'static');
  if (kinds.length + release.length > 0) {
    await installMissingPrograms(undefined, [
      ...BACKING_SERVICES,
      ...(only.includes('unit') ? ['promtool' as const] : []),
      ...(only.includes('sys') ? ['chromium' as const] : []),
    ]);
    if (release.length > 0) await installContainerTools();
    const servers = await startServers(scratch, [...kinds, ...(release.length > 0 ? ['int' as const] : [])]);
    const loops = startBusyLoops(load, scratch);
    try {
      for (const seed of seeds) {
        if (seed !== undefined) process.stdout.write(`seed: ${seed}\n`);
        const env = { ...servers.env, ...(seed !== undefined && { SEED: String(seed) }) };
        if (mutants !== undefined) {
          return (await runProgram(process.execPath, ['scripts/checks/dist/mutants.js', mutants], env)) === 0;
        }
        const runs = await runKinds(scratch, kinds, { tests, release }, env);
        for (const count of ['passed', 'failed', 'skipped'] as const)
          for (const run of runs) totals[count] += run[count];
        durations.push(...runs.flatMap((run) => run.durations));
        const hasPassed = runs.every((run) => run.succeeded);
        succeeded &&= hasPassed;
        if (!hasPassed && seed !== undefined) process.stdout.write(`failed with --seed ${seed}\n`);
        if (runs.every(({ files }) => files === 0) && pattern !== undefined) {
          process.stderr.write(`no test file matches ${pattern}\n`);
          succeeded = false;
        }
      }
    } finally {
      loops.stop();
      await servers.stop();
    }
  }
  printLongest(durations);
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  process.stdout.write(`tests: ${totals.passed} passed, ${totals.failed} failed${skipped}\n`);
  return succeeded && totals.failed === 0;
}

const options = readOptions();
const run = beginRun('test');
let hasSucceeded = false;
try {
  hasSucceeded = await main(options, run.scratch);
} finally {
  await runSettled();
  run.remove();
}
process.exit(hasSucceeded ? 0 : 1);
