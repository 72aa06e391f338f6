import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import {
  baseEnvironment,
  findProgram,
  LocalServerError,
  type LocalProcess,
  type LocalProgram,
  startLocalProgram,
} from './local-process.js';
import { identifyProcess, processesInDirectory } from './process-identity.js';

export interface LocalPostgres {
  readonly process: LocalProcess;
  /** Superuser URL of the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

interface PostgresOptions {
  readonly directory: string;
  readonly port: number;
  /** Directory of its log; absent: its own directory. */
  readonly logDirectory?: string;
  /** False trades durability for speed, for tests. */
  readonly durable?: boolean;
}

const run = promisify(execFile);

/** Returns the server programs; undefined if they are not installed. */
export function findPostgres(): { readonly server: string; readonly initdb: string } | undefined {
  const server = findProgram('postgres', programDirectories());
  const initdb = findProgram('initdb', programDirectories());
  return server === undefined || initdb === undefined ? undefined : { server, initdb };
}

function programDirectories(): string[] {
  const versionsIn = (base: string, prefix: string) =>
    (existsSync(base) ? readdirSync(base) : [])
      .filter((entry) => entry.startsWith(prefix) && /^\d+$/.test(entry.slice(prefix.length)))
      .sort((a, b) => Number(b.slice(prefix.length)) - Number(a.slice(prefix.length)))
      .map((entry) => path.join(base, entry, 'bin'));
  return [
    ...versionsIn('/usr/lib/postgresql', ''),
    ...versionsIn('/opt/homebrew/opt', 'postgresql@'),
    ...versionsIn('/usr/local/opt', 'postgresql@'),
    '/opt/homebrew/bin',
    '/usr/local/bin',
  ];
}

/** Returns the superuser URL of the database `postgres` of a private server on this port. */
export function postgresUrl(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/**
 * Returns the data directory of a private Postgres: inside the given directory. As root, if user `postgres` cannot
 * access that, it is a separate directory under the system's temporary one.
 */
export async function postgresDataDirectory(directory: string): Promise<string> {
  const inside = path.join(directory, 'data');
  if (process.getuid?.() !== 0 || existsSync(path.join(inside, 'PG_VERSION'))) return inside;
  await mkdir(directory, { recursive: true });
  const asPostgres = ['--reuid=postgres', '--regid=postgres', '--init-groups', '--'];
  const canReach = await run('setpriv', [...asPostgres, 'test', '-x', directory], { cwd: '/' }).then(
    () => true,
    () => false,
  );
  if (canReach) return inside;
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return path.join(tmpdir(), `partner-postgres-${name}`);
}

/**
 * Defines Postgres as a private instance in its own directory, which is created if needed. As root it runs as user
 * `postgres`, because the server refuses to run as root. Throws {@link LocalServerError} if it is not installed.
 */
export async function postgresProgram(options: PostgresOptions): Promise<LocalProgram> {
  const found = findPostgres();
  if (found === undefined) throw new LocalServerError('PostgreSQL is not installed');
  const user = serverUser();
  const data = await postgresDataDirectory(options.directory);
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${options.port}`,
    'unix_socket_directories=',
    'max_connections=200',
    ...(options.durable === false
      ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'track_commit_timestamp=on']
      : []),
  ];
  return {
    name: 'postgres',
    command: found.server,
    args: ['-D', data, ...settings.flatMap((setting) => ['-c', setting])],
    env: baseEnvironment(),
    cwd: '/',
    logFile: path.join(options.logDirectory ?? options.directory, 'postgres.log'),
    ...(user === undefined ? {} : { user }),
    prepare: async () => {
      if (!existsSync(path.join(data, 'PG_VERSION'))) await initialise(found.initdb, data, user);
      await removeStaleLock(data);
    },
    isUp: () => withPostgres(postgresUrl(options.port), async () => true),
    startTimeoutMs: 120_000,
    stopSignal: 'SIGINT',
    stopGraceMs: 15_000,
  };
}

/** Starts Postgres in its own directory. */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const process = await startLocalProgram(await postgresProgram(options));
  return { process, url: postgresUrl(options.port), stop: process.stop };
}

/** Runs statements on a new connection. Throws errors of the server or the network. */
export async function withPostgres<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 60_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

/**
 * Copies a running Postgres into a separate directory. A server that starts there is a standby of the copied one.
 */
export async function copyPostgres(originalUrl: string, directory: string): Promise<void> {
  const data = await postgresDataDirectory(directory);
  const copy = findProgram('pg_basebackup', programDirectories());
  if (copy === undefined) throw new LocalServerError('pg_basebackup is not installed');
  await fillDirectory(data, serverUser(), [
    copy,
    ...['-D', data, '-d', originalUrl, '--write-recovery-conf', '--checkpoint=fast'],
  ]);
}

/** The user of a server that this process starts; undefined: the current one. */
function serverUser(): string | undefined {
  return process.getuid?.() === 0 ? 'postgres' : undefined;
}

async function initialise(initdb: string, data: string, user: string | undefined): Promise<void> {
  const options = ['-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C'];
  await fillDirectory(data, user, [initdb, '-D', data, ...options]);
}

/** Runs a command that fills an empty data directory, as the user of the server. */
async function fillDirectory(
  data: string,
  user: string | undefined,
  command: readonly string[],
): Promise<void> {
  await rm(data, { recursive: true, force: true });
  await mkdir(data, { recursive: true, mode: 0o700 });
  const privileges =
    user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--init-groups', '--'];
  if (user !== undefined) await chown(data, await numericId('-u', user), await numericId('-g', user));
  const [program = '', ...args] = [...privileges, ...command];
  await run(program, args, { cwd: '/' });
}

/**
 * Removes the lock file of a dead server, after its remaining processes have ended. The server would remove the file
 * itself, unless its process id now belongs to another process or to a zombie.
 */
async function removeStaleLock(data: string): Promise<void> {
  const lock = path.join(data, 'postmaster.pid');
  if (process.platform !== 'linux' || !existsSync(lock)) return;
  const pid = Number(readFileSync(lock, 'utf8').split('\n')[0]);
  if (identifyProcess(pid) !== undefined && commandLine(pid).includes(data)) return;
  const deadline = Date.now() + 60_000;
  while (processesInDirectory(data).length > 0 && Date.now() < deadline) await delay(50);
  await rm(lock, { force: true });
}

function commandLine(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

async function numericId(flag: '-u' | '-g', user: string): Promise<number> {
  try {
    return Number((await run('id', [flag, user])).stdout);
  } catch {
    throw new LocalServerError(
      `Postgres does not run as root, and user ${user} does not exist: run this as another user`,
    );
  }
}
