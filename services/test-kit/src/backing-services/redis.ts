import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { Redis } from 'ioredis';
import {
  baseEnvironment,
  findProgram,
  LocalServerError,
  type LocalProcess,
  type LocalProgram,
  startLocalProgram,
} from './local-process.js';

/** A private Redis on loopback, without persistence. */
export interface LocalRedis {
  readonly process: LocalProcess;
  readonly url: string;
  stop(): Promise<void>;
}

interface RedisOptions {
  readonly directory: string;
  readonly port: number;
  /** Directory of its log; absent: its own directory. */
  readonly logDirectory?: string;
  /** Number of databases; absent: 16. */
  readonly databases?: number;
}

/** Returns the server program; undefined if it is not installed. */
export function findRedis(): string | undefined {
  return findProgram('redis-server', ['/opt/homebrew/bin', '/usr/local/bin', '/usr/bin']);
}

/** Returns the address of a private Redis on this port. */
export function redisUrl(port: number): string {
  return `redis://127.0.0.1:${port}/0`;
}

/**
 * Defines Redis as a private instance in its own directory. Throws {@link LocalServerError} if it is not installed.
 */
export function redisProgram(options: RedisOptions): LocalProgram {
  const server = findRedis();
  if (server === undefined) throw new LocalServerError('Redis is not installed');
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
    isUp: () => respondsToPing(redisUrl(options.port)),
    startTimeoutMs: 120_000,
    stopSignal: 'SIGTERM',
    stopGraceMs: 15_000,
  };
}

export async function startRedis(options: RedisOptions): Promise<LocalRedis> {
  const process = await startLocalProgram(redisProgram(options));
  return { process, url: redisUrl(options.port), stop: process.stop };
}

export async function respondsToPing(url: string): Promise<boolean> {
  return withRedis(url, async (client) => {
    await client.ping();
    return true;
  });
}

/** Runs commands on a new connection to Redis. Throws errors of the server or the network, without a retry. */
export async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: () => null,
    connectTimeout: 60_000,
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
