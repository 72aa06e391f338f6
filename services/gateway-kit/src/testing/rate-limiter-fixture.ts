import { afterEach } from '@jest/globals';
import type { Result } from 'ioredis';
import { Registry } from 'prom-client';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { createRateLimiter, type RateLimiter } from '../limits/rate-limiter.js';
import { createRedis, type RedisClient } from '../limits/redis.js';

const open: RedisClient[] = [];

/** Long enough for a reply of a working Redis, on a busy machine too. */
export const LONG_TIMEOUT_MS = 60_000;

export async function connect(url: string, replyTimeoutMs: number): Promise<RedisClient> {
  const redis = createRedis(url, silentLogger, { replyTimeoutMs });
  open.push(redis);
  await eventually('the connection to Redis', () => redis.status === 'ready');
  return redis;
}

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeAtTime(
      key: string,
      limit: number,
      spanMs: number,
      bucketMs: number,
      seconds: number,
      microseconds: number,
    ): Result<unknown, Context>;
  }
}

/** Runs the script of a limiter at the time of this clock instead of Redis's own, so that a test need not wait a minute. */
function withClock(redis: RedisClient, clock: () => Date): Parameters<typeof createRateLimiter>[0]['redis'] {
  return {
    get status() {
      return redis.status;
    },
    defineCommand(_name, { lua, ...definition }) {
      const atTime = lua.replace(`redis.call('TIME')`, '{ ARGV[4], ARGV[5] }');
      if (atTime === lua) throw new Error('the script does not read the time of Redis');
      redis.defineCommand('takeAtTime', { ...definition, lua: atTime });
    },
    takeFromRateLimit(...args) {
      const now = clock().getTime();
      return redis.takeAtTime(...args, Math.floor(now / 1_000), (now % 1_000) * 1_000);
    },
  };
}

export function createReplica(redis: RedisClient, options: { replicas?: number; keyPrefix?: string } = {}) {
  const metrics = new Registry();
  let instant = 1_800_000_000_000;
  const clock = () => new Date(instant);
  const limiter = createRateLimiter({
    redis: withClock(redis, clock),
    keyPrefix: options.keyPrefix ?? 'test:',
    replicas: options.replicas ?? 2,
    logger: silentLogger,
    metrics,
    clock,
  });
  /** Advances the replica's own clock, and that of Redis as the replica sees it. */
  const advance = (ms: number) => (instant += ms);
  return { limiter, metrics, now: () => instant, advance };
}

export async function twoReplicas(url: string, replyTimeoutMs: number) {
  const replica = async () => createReplica(await connect(url, replyTimeoutMs));
  return [await replica(), await replica()] as const;
}

export async function takeTimes(limiter: RateLimiter, key: string, limit: number, times: number) {
  const verdicts = await Promise.all(Array.from({ length: times }, () => limiter.take(key, limit)));
  return verdicts.filter((verdict) => verdict.accepted).length;
}

export async function valueOf(metrics: Registry, name: string): Promise<number | undefined> {
  return (await metrics.getSingleMetric(name)?.get())?.values[0]?.value;
}

export async function isDegraded(metrics: Registry): Promise<boolean> {
  return (await valueOf(metrics, 'partner_rate_limiter_degraded')) === 1;
}

export function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

afterEach(() => {
  for (const redis of open.splice(0)) redis.disconnect();
});
