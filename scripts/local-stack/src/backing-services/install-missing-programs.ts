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
  /** What the package starts at each boot. */
  readonly units: readonly string[];
}

const recipe = (
  title: string,
  find: Recipe['find'],
  debianPackage: string,
  brewFormula: string,
  ...units: readonly string[]
): Recipe => ({ title, find, debianPackage, brewFormula, units });

const { postgres, rabbitmq, redis } = BACKING_SERVICE_TITLES;
const SERVERS: Readonly<Record<BackingService, Recipe>> = {
  postgres: recipe(postgres, findPostgres, 'postgresql', 'postgresql@16', 'postgresql'),
  rabbitmq: recipe(rabbitmq, findRabbitmq, 'rabbitmq-server', 'rabbitmq', 'rabbitmq-server'),
  redis: recipe(redis, findRedis, 'redis-server', 'redis', 'redis-server'),
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
 * Installs the needed programs that are missing on this machine: with apt-get as root or with sudo that needs no password. If that
 * is impossible, throws {@link StackError} with one message that names what to install.
 */
export async function installMissingPrograms(
  report: Progress = () => undefined,
  needed: readonly Installable[] = BACKING_SERVICES,
): Promise<void> {
  const missing = needed.filter(isMissing);
  if (missing.length === 0) return;
  const titles = namesOf('title', missing).join(', ');
  const asRoot = await rootPrefix();
  if (asRoot === undefined) {
    throw new StackError(
      `not installed: ${titles}. Install ${missing.length > 1 ? 'them' : 'it'}` +
        ` (Debian or Ubuntu, as root: apt-get install ${namesOf('debianPackage', missing).join(' ')};` +
        ` Mac: brew install ${namesOf('brewFormula', missing).join(' ')})` +
        (missing.every((program) => program in TEST_TOOLS)
          ? ''
          : ', or start a Docker engine with the compose plugin,' +
            ' or name running servers with POSTGRES_URL, AMQP_URL and REDIS_URL'),
    );
  }
  report(`installing ${titles} with apt-get; this can take some minutes`);
  await aptGet(asRoot, missing);
  const still = missing.filter(isMissing);
  if (still.length > 0) {
    throw new StackError(
      `apt-get succeeded, but there is still no ${namesOf('title', still).join(', ')}; try it yourself:` +
        ` ${[...asRoot, 'apt-get', 'install', ...namesOf('debianPackage', still)].join(' ')}`,
    );
  }
  report(`installed ${titles}`);
}

const isMissing = (program: Installable) => RECIPES[program].find() === undefined;
const namesOf = (kind: 'title' | 'debianPackage' | 'brewFormula', programs: readonly Installable[]) =>
  programs.map((program) => RECIPES[program][kind]);

/** What precedes a command of root; undefined without apt-get, or if this user cannot be root. */
async function rootPrefix(): Promise<readonly string[] | undefined> {
  if (findProgram('apt-get') === undefined) return undefined;
  if (process.getuid?.() === 0) return [];
  const mayBecomeRoot = await runCommand('sudo', ['-n', 'true']);
  return mayBecomeRoot.exitCode === 0 ? ['sudo', '-n'] : undefined;
}

const CLUSTER_SETTINGS = '/etc/postgresql-common/createcluster.d/partner-local-stack.conf';
const SERVICE_POLICY = '/usr/sbin/policy-rc.d';

/**
 * Debian's packages start their servers on the standard ports, at once and at each boot. We need only the programs. This
 * prevents clusters and starts, unless the machine already has a policy for them.
 */
async function aptGet(asRoot: readonly string[], programs: readonly Installable[]): Promise<void> {
  const environment = ['env', 'DEBIAN_FRONTEND=noninteractive', 'NEEDRESTART_MODE=l'];
  const run = (...command: string[]) => {
    const [program = '', ...args] = [...asRoot, ...environment, ...command];
    return runCommand(program, args);
  };
  const packages = namesOf('debianPackage', programs);
  const scratch = path.join('/tmp', `partner-install-${process.pid}`);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const undo: (() => Promise<unknown>)[] = [() => rm(scratch, { recursive: true, force: true })];
  const place = async (file: string, mode: string, content: string) => {
    const source = path.join(scratch, path.basename(file));
    await writeFile(source, content);
    undo.push(() => run('rm', '-f', file));
    await run('install', '-D', '-m', mode, source, file);
  };
  try {
    if (programs.includes('postgres')) await place(CLUSTER_SETTINGS, '644', 'create_main_cluster = false\n');
    if (!existsSync(SERVICE_POLICY)) {
      // Applies only while this process runs, so a crash leaves no policy in force.
      await place(SERVICE_POLICY, '755', `#!/bin/sh\n[ -d /proc/${process.pid} ] && exit 101\nexit 0\n`);
    }
    const update = await run('apt-get', 'update', '-q');
    const result = await run('apt-get', 'install', '-y', '-q', '--no-install-recommends', ...packages);
    if (update.exitCode !== 0 && result.exitCode !== 0) expectSuccess(update, 'apt-get update');
    expectSuccess(result, `apt-get install ${packages.join(' ')}`);
    const units = programs.flatMap((program) => RECIPES[program].units);
    if (units.length > 0 && existsSync('/run/systemd/system')) await run('systemctl', 'disable', ...units);
  } finally {
    for (const step of undo.reverse()) await step();
  }
}

function expectSuccess(result: CommandResult, what: string): void {
  if (result.exitCode !== 0) throw new StackError(`${what} failed:\n${lastLines(result)}`);
}
