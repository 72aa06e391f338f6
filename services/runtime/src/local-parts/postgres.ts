import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  findProgram,
  LocalPartError,
  type LocalProcess,
  startLocalProcess,
  stopLocalProcess,
  waitUntilUp,
} from './local-process.js';

/** A private Postgres on loopback. */
export interface LocalPostgres {
  readonly process: LocalProcess;
  /** Superuser URL of the database `postgres`. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Directories in which distributions keep the server programs, the newest version first. */
export function postgresProgramDirectories(): string[] {
  const base = '/usr/lib/postgresql';
  const versions = existsSync(base) ? readdirSync(base).sort((a, b) => Number(b) - Number(a)) : [];
  return [...versions.map((version) => path.join(base, version, 'bin')), '/opt/homebrew/bin', '/usr/local/bin'];
}

/**
 * Where the data of a private Postgres stands: inside the given directory, or, as root and when user `postgres` can not
 * reach that, in a directory of its own under the system's temporary one.
 */
export function postgresDataDirectory(directory: string): string {
  const inside = path.join(directory, 'data');
  if (process.getuid?.() !== 0 || !existsSync(directory)) return inside;
  const asPostgres = ['--reuid=postgres', '--regid=postgres', '--init-groups', 'test', '-x', directory];
  if (spawnSync('setpriv', asPostgres).status === 0) return inside;
  const name = createHash('sha256').update(directory).digest('hex').slice(0, 16);
  return path.join(tmpdir(), `partner-postgres-${name}`);
}

/**
 * Starts Postgres on a directory of its own, which is made when it is new. As root it runs as user `postgres`, since the
 * server refuses to run as root.
 */
export async function startPostgres(options: {
  readonly directory: string;
  readonly port: number;
  readonly detached?: boolean;
  /** Tests may trade durability for speed. */
  readonly durable?: boolean;
}): Promise<LocalPostgres> {
  const initdb = findProgram('initdb', postgresProgramDirectories());
  const server = findProgram('postgres', postgresProgramDirectories());
  if (initdb === undefined || server === undefined) throw new LocalPartError('PostgreSQL is not installed');

  const asRoot = process.getuid?.() === 0;
  const run = (program: string, args: readonly string[]): [string, string[]] =>
    asRoot
      ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args]]
      : [program, [...args]];
  mkdirSync(options.directory, { recursive: true });
  const data = postgresDataDirectory(options.directory);
  if (!existsSync(path.join(data, 'PG_VERSION'))) {
    rmSync(data, { recursive: true, force: true });
    mkdirSync(data, { recursive: true, mode: 0o700 });
    if (asRoot) {
      chownSync(data, numericId('-u'), numericId('-g'));
    }
    const [program, args] = run(initdb, ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--locale=C']);
    execFileSync(program, args, { stdio: 'pipe', cwd: '/' });
    writeFileSync(path.join(data, 'postgresql.auto.conf'), '');
    if (asRoot) chownSync(path.join(data, 'postgresql.auto.conf'), numericId('-u'), numericId('-g'));
  }
  const settings = [
    'listen_addresses=127.0.0.1',
    `port=${options.port}`,
    'unix_socket_directories=',
    'max_connections=200',
    ...(options.durable === false ? ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'] : []),
  ];
  const [command, args] = run(server, ['-D', data, ...settings.flatMap((setting) => ['-c', setting])]);
  const local = startLocalProcess({
    name: 'postgres',
    command,
    args,
    env: process.env,
    cwd: '/',
    logFile: path.join(options.directory, 'postgres.log'),
    detached: options.detached ?? false,
  });
  const url = `postgres://postgres@127.0.0.1:${options.port}/postgres`;
  await waitUntilUp(local, () => answersQueries(url), 30_000);
  return { process: local, url, stop: () => stopLocalProcess(local, 'SIGINT') };
}

async function answersQueries(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function numericId(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
