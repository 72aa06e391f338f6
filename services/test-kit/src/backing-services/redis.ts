import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import {
  baseEnvironment,
  findProgram,
  LocalPartError,
  type LocalProcess,
  type LocalProgram,
  startLocalProgram,
  stopLocalProcess,
} from './local-process.js';

/** A private Redis on loopback that keeps nothing on disk. */
export interface LocalRedis {
  readonly process: LocalProcess;
  readonly url: string;
  stop(): Promise<void>;
}

interface RedisOptions {
  readonly directory: string;
  readonly port: number;
  /** Where its log stands, when that is not its own directory. */
  readonly logDirectory?: string;
  /** How many databases it has; 16 without it. */
  readonly databases?: number;
}

/** The server program; undefined when it is not installed. */
export function findRedis(): string | undefined {
  return findProgram('redis-server', ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin']);
}

/** The address of a private Redis on this port. */
export function redisUrl(port: number): string {
  return `redis://127.0.0.1:${port}/0`;
}

/** Redis as a private instance on a directory of its own. Throws {@link LocalPartError} when it is not installed. */
export function redisProgram(options: RedisOptions): LocalProgram {
  const server = findRedis();
  if (server === undefined) throw new LocalPartError('Redis is not installed');
  return {
    name: 'redis',
    command: server,
    args: [
      ...['--port', String(options.port), '--bind', '127.0.0.1'],
      ...['--save', '', '--appendonly', 'no', '--dir', options.directory],
      ...(options.databases === undefined ? [] : ['--databases', String(options.databases)]),
    ],
    env: baseEnvironment(),
    cwd: options.directory,
    logFile: path.join(options.logDirectory ?? options.directory, 'redis.log'),
    prepare: async () => {
      await mkdir(options.directory, { recursive: true });
    },
    isUp: () => answersPing(redisUrl(options.port)),
    startTimeoutMs: 15_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 15_000,
  };
}

/** Starts Redis on a directory of its own. */
export async function startRedis(
  options: RedisOptions & { readonly detached?: boolean },
): Promise<LocalRedis> {
  const program = redisProgram(options);
  const local = await startLocalProgram(program, { detached: options.detached ?? false });
  return {
    process: local,
    url: redisUrl(options.port),
    stop: () => stopLocalProcess(local, program.stopSignal, program.stopGraceMs),
  };
}

async function answersPing(url: string): Promise<boolean> {
  return withRedis(url, async (client) => {
    await client.ping();
    return true;
  });
}

/**
 * Runs commands against a Redis on a connection of their own. Throws what the server or the network says, without
 * trying again.
 */
export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 2_000,
    disconnectTimeout: 100,
  });
  let cause: unknown;
  client.on('error', (error) => (cause = error));
  try {
    await client.connect();
    return await work(client);
  } catch (error) {
    throw cause ?? error;
  } finally {
    client.disconnect();
  }
}
