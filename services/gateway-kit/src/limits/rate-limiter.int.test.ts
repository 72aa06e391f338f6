import { describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { Registry } from 'prom-client';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { eventually } from '@partner/test-kit/eventually';
import { fc } from '@partner/test-kit/fast-check';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import { createRateLimiter, inSeconds } from './rate-limiter.js';
import { createSlidingWindow } from './sliding-window.js';
import {
  blockEventLoop,
  connect,
  createReplica,
  isDegraded,
  LONG_TIMEOUT_MS,
  takeTimes,
  twoReplicas,
  valueOf,
} from '../testing/rate-limiter-fixture.js';

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

  test('decides like the in-process window at every instant, with the remainder, the reset and the wait [LIMIT-6]', async () => {
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

  test('keeps shared counting after two late responses to probes [LIMIT-6]', async () => {
    const redis = await connect(testRedisUrl(), LONG_TIMEOUT_MS);
    const { limiter, metrics } = createReplica(redis);
    const key = newKey();
    const takeFromRedis = redis.takeAtTime.bind(redis);
    let probes = 0;
    redis.takeAtTime = async (name: string, ...rest) => {
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
