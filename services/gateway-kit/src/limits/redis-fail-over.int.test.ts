import { afterEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import {
  type RedisGroup,
  startRedisCluster,
  startRedisWithSentinels,
} from '@partner/test-kit/backing-services/redis-groups';
import { eventually } from '@partner/test-kit/eventually';
import { Registry } from 'prom-client';
import { createRateLimiter } from './rate-limiter.js';
import { createRedis, type RedisClient } from './redis.js';

const LIMIT = 60;
/** Enough that each node of a cluster has some. */
const KEYS = Array.from({ length: 30 }, (_, index) => `key ${index}`);

let group: RedisGroup;
let redis: RedisClient;

afterEach(async () => {
  redis.disconnect();
  await group.remove();
});

describe.each([
  ['Sentinels', startRedisWithSentinels],
  ['a cluster', startRedisCluster],
])('the limiter on %s', (_what, start) => {
  test('counts in Redis again after the loss of a primary, and accepts at most twice the limit [LIMIT-9]', async () => {
    group = await start();
    redis = createRedis(group.url, silentLogger, { replyTimeoutMs: 1_000 });
    await eventually('the connection to Redis', () => redis.status === 'ready');
    const replicas = [new Registry(), new Registry()].map((metrics) => ({
      metrics,
      limiter: createRateLimiter({
        redis,
        keyPrefix: 'test:',
        replicas: 2,
        logger: silentLogger,
        metrics,
        clock: () => new Date(),
      }),
    }));
    const accepted = new Map<string, number>();
    async function takeAll(times: number): Promise<void> {
      for (let time = 0; time < times; time += 1) {
        for (const { limiter } of replicas) {
          const takes = KEYS.map(async (key) => ({ key, ...(await limiter.take(key, LIMIT)) }));
          for (const verdict of await Promise.all(takes)) {
            if (verdict.accepted) accepted.set(verdict.key, (accepted.get(verdict.key) ?? 0) + 1);
          }
        }
      }
    }
    async function countsInRedis({ metrics }: { readonly metrics: Registry }): Promise<boolean> {
      const degraded = await metrics.getSingleMetric('partner_rate_limiter_degraded')?.get();
      return degraded?.values[0]?.value === 0;
    }

    await takeAll(LIMIT / 4);
    expect(new Set(accepted.values())).toEqual(new Set([LIMIT / 2]));
    group.killPrimary();
    await eventually('the loss is noticed', async () => {
      await takeAll(1);
      return !(await Promise.all(replicas.map(countsInRedis))).includes(true);
    });
    await eventually('Redis responds for every key', () =>
      Promise.all(KEYS.map((key) => redis.exists(`test:rate:{${key}}`))).then(
        () => true,
        () => false,
      ),
    );
    for (const replica of replicas) await eventually('counting in Redis', () => countsInRedis(replica));
    await takeAll(LIMIT);
    expect(Math.max(...accepted.values())).toBeLessThanOrEqual(2 * LIMIT);
  });
});
