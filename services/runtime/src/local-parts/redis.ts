import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Redis } from 'ioredis';
import {
  findProgram,
  LocalPartError,
  type LocalProcess,
  startLocalProcess,
  stopLocalProcess,
  waitUntilUp,
} from './local-process.js';

/** A private Redis on loopback that keeps nothing on disk. */
export interface LocalRedis {
  readonly process: LocalProcess;
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts Redis on a directory of its own. */
export async function startRedis(options: {
  readonly directory: string;
  readonly port: number;
  readonly detached?: boolean;
}): Promise<LocalRedis> {
  const server = findProgram('redis-server', ['/opt/homebrew/bin', '/usr/local/bin']);
  if (server === undefined) throw new LocalPartError('Redis is not installed');
  mkdirSync(options.directory, { recursive: true });
  const local = startLocalProcess({
    name: 'redis',
    command: server,
    args: ['--port', String(options.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', options.directory],
    env: process.env,
    cwd: options.directory,
    logFile: path.join(options.directory, 'redis.log'),
    detached: options.detached ?? false,
  });
  const url = `redis://127.0.0.1:${options.port}/0`;
  await waitUntilUp(local, () => answersPing(url), 15_000);
  return { process: local, url, stop: () => stopLocalProcess(local, 'SIGTERM') };
}

async function answersPing(url: string): Promise<boolean> {
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, connectTimeout: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } finally {
    client.disconnect();
  }
}
