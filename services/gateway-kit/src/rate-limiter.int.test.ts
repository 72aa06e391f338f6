import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { type LocalRedis, startRedis } from '@partner/test-kit/backing-services/redis';
import { silentLogger } from '@partner/kernel/logger';
import { eventually } from '@partner/test-kit/eventually';
import { fc } from '@partner/test-kit/fast-check';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRateLimiter, inSeconds, type RateLimiter } from './rate-limiter.js';
import { createRedis, type RedisClient } from './redis.js';
import { BUCKET_MS, createSlidingWindow, SPAN_MS } from './sliding-window.js';

const open: RedisClient[] = [];

/** Long enough for a reply of a working Redis, on a busy machine too. */
const LONG_TIMEOUT_MS = 60_000;

async function connect(url: string, replyTimeoutMs: number): Promise<RedisClient> {
  const redis = createRedis(url, silentLogger, { replyTimeoutMs });
  open.push(redis);
  await eventually('the connection to Redis', () => redis.status === 'ready');
  return redis;
}

interface Replica {
  readonly limiter: RateLimiter;
  readonly metrics: Registry;
  /** Time of the replica's own clock, and of Redis's clock as the replica sees it. */
  now(): number;
  advance(ms: number): void;
}

function createReplica(
  redis: RedisClient,
  options: { replicas?: number; keyPrefix?: string; localBytes?: number } = {},
): Replica {
  const metrics = new Registry();
  let instant = 1_800_000_000_000;
  const clock = () => new Date(instant);
  const limiter = createRateLimiter({
    redis,
    keyPrefix: options.keyPrefix ?? 'test:',
    replicas: options.replicas ?? 2,
    logger: silentLogger,
    metrics,
    clock,
    sharedClock: clock,
    ...(options.localBytes !== undefined && { localBytes: options.localBytes }),
  });
  return { limiter, metrics, now: () => instant, advance: (ms) => (instant += ms) };
}

async function twoReplicas(url: string, replyTimeoutMs: number) {
  const replica = async () => createReplica(await connect(url, replyTimeoutMs));
  return [await replica(), await replica()] as const;
}

async function takeTimes(limiter: RateLimiter, key: string, limit: number, times: number) {
  const verdicts = await Promise.all(Array.from({ length: times }, () => limiter.take(key, limit)));
  return verdicts.filter((verdict) => verdict.accepted).length;
}

async function valueOf(metrics: Registry, name: string): Promise<number | undefined> {
  return (await metrics.getSingleMetric(name)?.get())?.values[0]?.value;
}

async function isDegraded(metrics: Registry): Promise<boolean> {
  return (await valueOf(metrics, 'partner_rate_limiter_degraded')) === 1;
}

/** Blocks the process for that many ms. */
function blockEventLoop(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

afterEach(() => {
  for (const redis of open.splice(0)) redis.disconnect();
});

describe('the shared limiter', () => {
  const newKey = () => `installer:${randomUUID()}`;

  test('counts over all replicas: what one accepts the other cannot [LIMIT-6]', async () => {
    const [a, b] = await twoReplicas(testRedisUrl(), LONG_TIMEOUT_MS);
    const key = newKey();
    const accepted = await Promise.all([
      takeTimes(a.limiter, key, 60, 50),
      takeTimes(b.limiter, key, 60, 50),
    ]);
    expect(accepted[0] + accepted[1]).toBe(60);
    expect(await b.limiter.take(key, 60)).toMatchObject({ accepted: false, limit: 60, remaining: 0 });
  });

  test('counts each key separately', async () => {
    const { limiter } = createReplica(await connect(testRedisUrl(), LONG_TIMEOUT_MS));
    expect((await limiter.take(newKey(), 1)).accepted).toBe(true);
    expect((await limiter.take(newKey(), 1)).accepted).toBe(true);
  });

  test('returns the remaining requests, the reset and the wait', async () => {
    const { limiter, advance } = createReplica(await connect(testRedisUrl(), LONG_TIMEOUT_MS));
    const key = newKey();
    expect(await limiter.take(key, 2)).toEqual({
      accepted: true,
      limit: 2,
      remaining: 1,
      resetSeconds: 61,
      retryAfterSeconds: 0,
    });
    advance(20_000);
    expect(await limiter.take(key, 2)).toMatchObject({ accepted: true, remaining: 0 });
    advance(20_000);
    const refused = await limiter.take(key, 2);
    expect(refused).toMatchObject({ accepted: false, remaining: 0 });
    expect(refused.resetSeconds).toBe(refused.retryAfterSeconds);
    advance(refused.retryAfterSeconds * 1_000);
    expect((await limiter.take(key, 2)).accepted).toBe(true);
  });

  test('accepts after exactly the returned seconds, when a limit was lowered below the current count [LIMIT-6]', async () => {
    const { limiter, advance } = createReplica(await connect(testRedisUrl(), LONG_TIMEOUT_MS));
    const key = newKey();
    for (let request = 0; request < 5; request += 1) {
      await limiter.take(key, 5);
      advance(5_000);
    }
    const { accepted, resetSeconds, retryAfterSeconds } = await limiter.take(key, 2);
    expect(accepted).toBe(false);
    expect(resetSeconds).toBe(retryAfterSeconds);
    advance((retryAfterSeconds - 1) * 1_000);
    expect((await limiter.take(key, 2)).accepted).toBe(false);
    advance(1_000);
    expect((await limiter.take(key, 2)).accepted).toBe(true);
  });

  test('decides like the in-process window at every instant', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    // Either a pause, or exactly the last returned wait, where the two could differ by one ms.
    const pause = fc.oneof(fc.integer({ min: 0, max: 9_000 }), fc.constant('the returned wait' as const));
    const steps = fc.array(fc.tuple(pause, fc.integer({ min: 1, max: 12 })), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (moves) => {
        const { limiter, now, advance } = createReplica(redis, { keyPrefix: `test:${randomUUID()}:` });
        const window = createSlidingWindow();
        let returnedMs = 0;
        for (const [pauseMs, limit] of moves) {
          advance(pauseMs === 'the returned wait' ? returnedMs : pauseMs);
          const verdict = window.take(now(), limit);
          returnedMs = verdict.waitMs;
          expect(await limiter.take('key', limit)).toEqual(inSeconds(limit, verdict));
        }
      }),
      { numRuns: 50 },
    );
  });

  test('counts by the clock of Redis', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const keyPrefix = `test:${randomUUID()}:`;
    const limiter = createRateLimiter({
      redis,
      keyPrefix,
      replicas: 1,
      logger: silentLogger,
      metrics: new Registry(),
      clock: () => new Date(0),
    });
    const [before] = await redis.time();
    await limiter.take('key', 1);
    const [after] = await redis.time();
    const bucket = Number((await redis.lindex(`${keyPrefix}rate:{key}`, 0))?.split(':')[0]);
    expect(Math.floor(bucket / 50)).toBeGreaterThanOrEqual(Number(before));
    expect(Math.floor(bucket / 50)).toBeLessThanOrEqual(Number(after));
    expect(await limiter.take('key', 1)).toMatchObject({ accepted: false });
  });

  test('needs bounded memory for any limit [LIMIT-6]', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const keyPrefix = `test:${randomUUID()}:`;
    const { limiter, advance } = createReplica(redis, { keyPrefix });
    for (let request = 0; request < 6_000; request += 1) {
      await limiter.take('key', 1_000_000);
      advance(20);
    }
    expect(await redis.llen(`${keyPrefix}rate:{key}`)).toBeLessThanOrEqual(3_002);
    expect(await redis.pttl(`${keyPrefix}rate:{key}`)).toBeGreaterThan(30_000);
  });

  test('gives no room again that Redis has forgotten, however often, and counts the losses [LIMIT-9]', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const keyPrefix = `test:${randomUUID()}:`;
    const replicas = [1, 2, 3].map(() => createReplica(redis, { keyPrefix, replicas: 3 }));
    for (const [index, { limiter }] of replicas.entries()) {
      expect(await takeTimes(limiter, 'key', 60, 20)).toBe(20);
      expect(await takeTimes(limiter, `noticed by ${index}`, 60, 1)).toBe(1);
    }
    for (let flush = 0; flush < 3; flush += 1) {
      await redis.del(await redis.keys(`${keyPrefix}*`));
      for (const [index, { limiter }] of replicas.entries()) {
        expect(await takeTimes(limiter, `noticed by ${index}`, 60, 1)).toBe(1);
        expect(await takeTimes(limiter, 'key', 60, 100)).toBe(0);
      }
    }
    for (const { metrics } of replicas) {
      expect(await valueOf(metrics, 'partner_rate_limiter_counts_lost_total')).toBeGreaterThan(0);
    }
  });

  test('notices a loss of the counts without a request [LIMIT-9]', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const keyPrefix = `test:${randomUUID()}:`;
    const { metrics } = createReplica(redis, { keyPrefix });
    const probe = `${keyPrefix}rate:{probe}`;
    await eventually('a probe', async () => (await redis.exists(probe)) === 1);
    await redis.del(probe);
    const losses = () => valueOf(metrics, 'partner_rate_limiter_counts_lost_total');
    await eventually('the loss is noticed', async () => (await losses()) !== 0);
    expect(await losses()).toBe(1);
  });

  test("works after the server's scripts were flushed", async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const { limiter, metrics } = createReplica(redis);
    const key = newKey();
    await limiter.take(key, 2);
    await redis.script('FLUSH');
    expect(await limiter.take(key, 2)).toMatchObject({ accepted: true, remaining: 0 });
    expect(await isDegraded(metrics)).toBe(false);
  });

  test('keeps shared counting after two late responses to probes [LIMIT-6]', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const { limiter, metrics } = createReplica(redis);
    const key = newKey();
    const takeFromRedis = redis.takeFromRateLimit.bind(redis);
    let probes = 0;
    redis.takeFromRateLimit = async (name: string, ...rest) => {
      if (name.endsWith('{probe}')) {
        probes += 1;
        if (probes <= 2) throw new Error('Redis did not respond');
      }
      return takeFromRedis(name, ...rest);
    };
    await eventually('a successful probe', () => probes > 3);
    expect(await isDegraded(metrics)).toBe(false);
    expect(await takeTimes(limiter, key, 60, 60)).toBe(60);
  });

  test('does not treat a blocked event loop as a failure of Redis', async () => {
    const { limiter, metrics } = createReplica(await connect(testRedisUrl(), 1_000));
    const key = newKey();
    await limiter.take(key, 60);
    const verdict = limiter.take(key, 60);
    blockEventLoop(1_500);
    expect(await verdict).toMatchObject({ accepted: true, remaining: 58 });
    expect(await isDegraded(metrics)).toBe(false);
  });
});

describe('the limiter without Redis', () => {
  /** After this time a hung Redis is detected. */
  const NOTICED_MS = 1_000;
  let directory: string;
  let server: LocalRedis;
  let port: number;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'partner-redis-'));
    port = await freePort();
    server = await startRedis({ directory, port });
  });
  afterEach(() => {
    server.process.signal('SIGCONT');
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('continues with its share when Redis hangs, and restores shared counting once it responds [LIMIT-6]', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'hang', 60, 10)).toBe(10);

    server.process.signal('SIGSTOP');
    expect(await takeTimes(a.limiter, 'hang', 60, 100)).toBe(20);
    expect(await takeTimes(b.limiter, 'hang', 60, 100)).toBe(30);
    expect(await isDegraded(a.metrics)).toBe(true);
    expect(await a.limiter.take('hang', 60)).toMatchObject({ accepted: false, remaining: 0 });
    expect((await a.limiter.take('never seen', 1)).accepted).toBe(true);

    server.process.signal('SIGCONT');
    await eventually('shared counting', async () => !(await isDegraded(a.metrics)));
    await eventually('shared counting', async () => !(await isDegraded(b.metrics)));
    for (const { advance } of [a, b]) advance(SPAN_MS + BUCKET_MS + 1);
    const accepted = [await takeTimes(a.limiter, 'hang', 60, 50), await takeTimes(b.limiter, 'hang', 60, 50)];
    expect(accepted).toEqual([50, 10]);
  });

  test('reports a hung Redis without a request, and when the local count refuses every request [LIMIT-6]', async () => {
    const { limiter, metrics } = createReplica(await connect(server.url, NOTICED_MS));
    for (const room of [30, 0]) {
      server.process.signal('SIGSTOP');
      await eventually('counting in this process', () => isDegraded(metrics));
      expect(await takeTimes(limiter, 'refusing', 60, 40)).toBe(room);
      server.process.signal('SIGCONT');
      await eventually('shared counting', async () => !(await isDegraded(metrics)));
      expect(await limiter.take('refusing', 60)).toMatchObject({ accepted: false });
    }
  });

  test('drops the oldest failing networks beyond its memory, and no known caller [LIMIT-6]', async () => {
    const localBytes = 60_000;
    const redis = await connect(server.url, NOTICED_MS);
    const { limiter, metrics, advance } = createReplica(redis, { replicas: 1, localBytes });
    redis.disconnect();
    expect(await takeTimes(limiter, 'company', 5, 6)).toBe(5);
    for (let network = 0; network < 40; network += 1) {
      for (let failure = 0; failure < 60; failure += 1) {
        await limiter.take(`network ${network}`, 60, 'stranger');
        advance(BUCKET_MS);
      }
    }
    expect(await valueOf(metrics, 'partner_rate_limiter_local_bytes')).toBeLessThanOrEqual(2 * localBytes);
    expect(await limiter.take('network 39', 60, 'stranger')).toMatchObject({ accepted: false });
    expect(await limiter.take('network 0', 60, 'stranger')).toMatchObject({ accepted: true });
    expect(await limiter.take('company', 5)).toMatchObject({ accepted: false });
  });

  test('accepts no more than the limit over all replicas in a span in which Redis hung and recovered', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'span', 60, 5)).toBe(5);
    server.process.signal('SIGSTOP');
    // Redis counts commands sent before the failure is detected late; it never receives later ones.
    await Promise.all([a, b].map(({ limiter }) => limiter.take('noticed', 60)));
    expect(await takeTimes(a.limiter, 'span', 60, 15)).toBe(15);
    expect(await takeTimes(b.limiter, 'span', 60, 100)).toBe(30);
    server.process.signal('SIGCONT');
    for (const { metrics } of [a, b]) {
      await eventually('shared counting', async () => !(await isDegraded(metrics)));
    }
    for (const { advance } of [a, b]) advance(30_000);
    expect(await takeTimes(b.limiter, 'span', 60, 100)).toBe(0);
    expect(await takeTimes(a.limiter, 'span', 60, 100)).toBe(10);
    expect(await takeTimes(a.limiter, 'span', 60, 100)).toBe(0);
  });

  test('counts the last known requests of the other replicas, for as long as they may count', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'uneven', 60, 45)).toBe(45);
    for (const { advance } of [a, b]) advance(10_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 5)).toBe(5);
    server.process.signal('SIGSTOP');
    await Promise.all([a, b].map(({ limiter }) => limiter.take('noticed', 60)));

    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(10);
    expect(await takeTimes(a.limiter, 'uneven', 60, 100)).toBe(0);
    // Its own first five and the known count of the other replica expire together.
    const refused = { accepted: false, remaining: 0, resetSeconds: 61, retryAfterSeconds: 61 };
    expect(await b.limiter.take('uneven', 60)).toEqual({ ...refused, limit: 60 });
    b.advance(60_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(0);
    b.advance(1_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(30);
  });

  test('accepts nothing locally of a limit that the others have used up', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'used up', 60, 60)).toBe(60);
    for (const { advance } of [a, b]) advance(10_000);
    expect(await takeTimes(b.limiter, 'used up', 60, 1)).toBe(0);
    server.process.signal('SIGSTOP');
    await Promise.all([a, b].map(({ limiter }) => limiter.take('noticed', 60)));

    b.advance(20_000);
    expect(await takeTimes(b.limiter, 'used up', 60, 100)).toBe(0);
    expect(await b.limiter.take('used up', 60)).toMatchObject({ accepted: false, retryAfterSeconds: 41 });
    b.advance(41_000);
    expect(await takeTimes(b.limiter, 'used up', 60, 100)).toBe(30);
  });

  test("ignores the others' requests of a key when the clock was far ahead", async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'ahead', 60, 60)).toBe(60);
    expect(await takeTimes(b.limiter, 'ahead', 60, 1)).toBe(0);
    server.process.signal('SIGSTOP');
    await b.limiter.take('noticed', 60);
    b.advance(-3_600_000);
    expect(await takeTimes(b.limiter, 'ahead', 60, 100)).toBe(30);
  });

  test('needs room in the shared count too just after Redis recovers, and does not charge refused requests', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'both', 60, 55)).toBe(55);
    for (const { advance } of [a, b]) advance(30_000);
    server.process.signal('SIGSTOP');
    await b.limiter.take('noticed', 60);
    server.process.signal('SIGCONT');
    await eventually('shared counting', async () => !(await isDegraded(b.metrics)));
    expect(await takeTimes(b.limiter, 'both', 60, 100)).toBe(5);
    // The 55 have left: the shared count has room again, and 25 of the share of 30 are still counted.
    for (const { advance } of [a, b]) advance(30_000 + BUCKET_MS);
    expect(await takeTimes(b.limiter, 'both', 60, 100)).toBe(25);
    expect(await takeTimes(a.limiter, 'both', 60, 100)).toBe(30);
  });

  test('never accepts more than the limit in one process, even when Redis has lost its counts', async () => {
    const { limiter, metrics } = createReplica(await connect(server.url, NOTICED_MS), { replicas: 1 });
    expect(await takeTimes(limiter, 'lost', 60, 40)).toBe(40);
    await server.stop();
    expect(await takeTimes(limiter, 'lost', 60, 10)).toBe(10);
    server = await startRedis({ directory, port });
    await eventually('shared counting', async () => !(await isDegraded(metrics)));
    expect(await takeTimes(limiter, 'lost', 60, 60)).toBe(10);
    expect(await limiter.take('lost', 60)).toMatchObject({ accepted: false, remaining: 0 });
  });
});
