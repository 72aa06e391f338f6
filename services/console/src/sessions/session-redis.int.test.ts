import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { silentLogger } from '@partner/kernel/logger';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import type { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { createSessionRedis, untilTried } from './session-redis.js';

let redis: Redis;

afterEach(() => redis.disconnect());

/** Connects, waits for the first attempt and returns the metric of the connection. */
async function connect(url: string): Promise<unknown> {
  const metrics = new Registry();
  redis = createSessionRedis({ url, logger: silentLogger, metrics });
  await untilTried(redis);
  const warnings = await metrics.getSingleMetric('partner_console_session_redis_up')?.get();
  return warnings?.values.map(({ value }) => value);
}

describe('the connection for sessions', () => {
  test('is usable once its first attempt is over, and is reported as up', async () => {
    expect(await connect(testRedisUrl())).toEqual([1]);
    expect(await redis.ping()).toBe('PONG');
  });

  test('does not block while Redis is down, and is reported as down', async () => {
    expect(await connect(`redis://127.0.0.1:${await freePort()}`)).toEqual([0]);
  });
});
