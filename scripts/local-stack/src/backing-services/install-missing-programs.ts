import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findProgram } from '@partner/test-kit/backing-services/local-process';
import { findPostgres } from '@partner/test-kit/backing-services/postgres';
import { findRabbitmq } from '@partner/test-kit/backing-services/rabbitmq';
import { findRedis } from '@partner/test-kit/backing-services/redis';
import type { Progress } from '../terminal.js';
import { type CommandResult, lastLines, runCommand } from '../run-command.js';
import { StackError } from '../stack-error.js';
import { findChromium } from './find-chromium.js';
import { BACKING_SERVICES, BACKING_SERVICE_TITLES, type BackingService } from './backing-service.js';

interface Recipe {
  readonly title: string;
  readonly find: () => unknown;
  readonly debianPackage: string;
  readonly brewFormula: string;
  readonly units: readonly string[];
}

const recipe = (
  title: string,
  find: Recipe['find'],
  debianPackage: string,
  brewFormula: string,
  ...units: readonly string[]
): Recipe => ({ title, find, debianPackage, brewFormula, units });

const SERVERS: Readonly<Record<BackingService, Recipe>> = {
  postgres: recipe(
    BACKING_SERVICE_TITLES.postgres,
    findPostgres,
    'postgresql',
    'postgresql@16',
    'postgresql',
  ),
  rabbitmq: recipe(
    BACKING_SERVICE_TITLES.rabbitmq,
    findRabbitmq,
    'rabbitmq-server',
    'rabbitmq',
    'rabbitmq-server',
  ),
  redis: recipe(BACKING_SERVICE_TITLES.redis, findRedis, 'redis-server', 'redis', 'redis-server'),
};

const findDockerd = () => findProgram('dockerd', ['/usr/sbin']);
const DOCKER_UNITS = ['docker.service', 'docker.socket', 'containerd'];

const TEST_TOOLS = {
  chromium: recipe('Chromium', findChromium, 'chromium', 'chromium'),
  promtool: recipe('promtool', () => findProgram('promtool'), 'prometheus', 'prometheus', 'prometheus'),
  docker: recipe('Docker', findDockerd, 'docker.io', 'docker', ...DOCKER_UNITS),
  mmdebstrap: recipe('mmdebstrap', () => findProgram('mmdebstrap'), 'mmdebstrap', 'mmdebstrap'),
} as const;

const RECIPES = { ...SERVERS, ...TEST_TOOLS };

type Installable = keyof typeof RECIPES;

/**
 * Installs the programs whose programs are missing on this machine: with apt-get as root or with sudo that needs no password. If that is impossible, throws {@link StackError} with one message that names what to install.
 */
export async function installMissingPrograms(
  report: Progress = () => undefined,
  needed: readonly Installable[] = BACKING_SERVICES,
): Promise<void> {
  const missing = needed.filter((program) => RECIPES[program].find() === undefined);
  if (missing.length === 0) return;
  const titles = missing.map((program) => RECIPES[program].title).join(', ');
  const asRoot = await rootPrefix();
  if (asRoot === undefined) {
    throw new StackError(
      `not installed: ${titles}. Install ${missing.length > 1 ? 'them' : 'it'}` +
        ` (Debian or Ubuntu, as root: apt-get install ${packagesOf(missing).join(' ')};` +
        ` Mac: brew install ${formulasOf(missing).join(' ')})` +
        (missing.every((program) => program in TEST_TOOLS)
          ? ''
          : ', or start a Docker engine with the compose plugin,' +
            ' or name running servers with POSTGRES_URL, AMQP_URL and REDIS_URL'),
    );
  }
  report(`installing ${titles} with apt-get; this can take some minutes`);
  await aptGet(asRoot, missing);
  const still = missing.filter((program) => RECIPES[program].find() === undefined);
  if (still.length > 0) {
    const titlesLeft = still.map((program) => RECIPES[program].title).join(', ');
    throw new StackError(
      `apt-get succeeded, but there is still no ${titlesLeft}; try it yourself:` +
        ` ${[...asRoot, 'apt-get', 'install', ...packagesOf(still)].join(' ')}`,
    );
  }
  report(`installed ${titles}`);
}

const packagesOf = (programs: readonly Installable[]) =>
  programs.map((program) => RECIPES[program].debianPackage);
const formulasOf = (programs: readonly Installable[]) =>
  programs.map((program) => RECIPES[program].brewFormula);

/** What precedes a command of root; undefined without apt-get, or if this user cannot be root. */
async function rootPrefix(): Promise<readonly string[] | undefined> {
  if (findProgram('apt-get') === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  const mayBecomeRoot = await runCommand('sudo', ['-n', 'true']);
  return mayBecomeRoot.exitCode === 0 ? ['sudo', '-n'] : undefined;
}

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.d';
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/**
 * Debian's packages start their servers on the standard ports, at once and at each boot. We need only the programs. This
 * prevents clusters and starts, unless the machine already has a policy for them.
 */
async function aptGet(asRoot: readonly string[], programs: readonly Installable[]): Promise<void> {
  const run = (command: string, ...args: string[]) => {
    const [program = command, ...rest] = [
      ...asRoot,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'NEEDRESTART_MODE=l',
      command,
      ...args,
    ];
    return runCommand(program, rest);
  };

  async function withoutStarting(work: () => Promise<void>): Promise<void> {
    const scratch = path.join('/tmp', `partner-install-${process.pid}`);
    await mkdir(scratch, { recursive: true, mode: 0o700 });
    const undo: (() => Promise<unknown>)[] = [() => rm(scratch, { recursive: true, force: true })];
    try {
      if (programs.includes('postgres')) {
        const file = path.join(CLUSTER_SETTINGS, 'partner-local-stack.conf');
        await writeFile(path.join(scratch, 'cluster'), 'create_main_cluster = false\n');
        undo.push(() => run('rm', '-f', file));
        await run('install', '-D', '-m', '644', path.join(scratch, 'cluster'), file);
      }
      if (!existsSync(SERVICE_POLICY)) {
        // Applies only while this process runs, so a crash leaves no policy in force.
        const policy = `#!/bin/sh\n[ -d /proc/${process.pid} ] && exit 101\nexit 0\n`;
        await writeFile(path.join(scratch, 'policy'), policy);
        undo.push(() => run('rm', '-f', SERVICE_POLICY));
        await run('install', '-m', '755', path.join(scratch, 'policy'), SERVICE_POLICY);
      }
      await work();
    } finally {
      for (const step of undo.reverse()) await step();
    }
  }

  await withoutStarting(async () => {
    const update = await run('apt-get', 'update', '-q');
    const install = ['install', '-y', '-q', '--no-install-recommends', ...packagesOf(programs)];
    const result = await run('apt-get', ...install);
    if (update.exitCode !== 0 && result.exitCode !== 0) expectSuccess(update, 'apt-get update');
    expectSuccess(result, `apt-get install ${packagesOf(programs).join(' ')}`);
    const units = programs.flatMap((program) => RECIPES[program].units);
    if (units.length > 0 && existsSync('/run/systemd/system')) await run('systemctl', 'disable', ...units);
  });
}

function expectSuccess(result: CommandResult, what: string): void {
  if (result.exitCode !== 0) throw new StackError(`${what} failed:\n${lastLines(result)}`);
}
