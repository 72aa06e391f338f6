import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRedis } from '@partner/gateway-kit/redis';
import { silentLogger } from '@partner/kernel/logger';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import { createLoginAttempts, LOGIN_FAILURE_LIMITS, LOGIN_FAILURE_WINDOW_MS } from './login-attempts.js';

const redis = createRedis(testRedisUrl(), silentLogger, { answerTimeoutMs: 10_000 });
const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
let now = new Date('2026-08-26T14:00:00Z').getTime();
const attempts = createLoginAttempts({ redis, keyPrefix, clock: () => new Date(now), randomBytes });

beforeEach(async () => {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
});

afterAll(() => redis.disconnect());

describe('failed logins', () => {
  test.each(['account', 'address'] as const)(
    'are limited per %s, with the wait until one more fits [HTTP-4, SESSION-2]',
    async (by) => {
      await attempts.begin(by, 'first');
      now += 60_000;
      for (let n = 1; n < LOGIN_FAILURE_LIMITS[by]; n += 1) await attempts.begin(by, 'first');
      await expect(attempts.begin(by, 'first')).rejects.toMatchObject({
        reason: 'rate_limited',
        message: `too many failed logins of this ${by}: the limit is ${LOGIN_FAILURE_LIMITS[by]} in 15 minutes; retry after 840 seconds`,
        attributes: { retryAfterSeconds: (LOGIN_FAILURE_WINDOW_MS - 60_000) / 1_000 },
      });
      await attempts.begin(by, 'second');

      now += LOGIN_FAILURE_WINDOW_MS - 60_000;
      await attempts.begin(by, 'first');
      await expect(attempts.begin(by, 'first')).rejects.toMatchObject({ reason: 'rate_limited' });
    },
  );

  test('are counted before they end, so that concurrent guesses are limited together', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 3 * LOGIN_FAILURE_LIMITS.account }, () => attempts.begin('account', 'busy')),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(
      LOGIN_FAILURE_LIMITS.account,
    );
  });

  test('that turn out to be successful are removed', async () => {
    for (let n = 0; n < 3 * LOGIN_FAILURE_LIMITS.account; n += 1) {
      const attempt = await attempts.begin('account', 'frequent');
      await attempt.forget();
    }
    await expect(attempts.begin('account', 'frequent')).resolves.toBeDefined();
  });

  test('store no email address or client address in Redis, and expire after their span', async () => {
    await attempts.begin('account', 'olive@sunny.example');
    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys.join()).not.toContain('olive');
    const lifetimes = await Promise.all(keys.map((key) => redis.pttl(key)));
    expect(lifetimes.every((ms) => ms > 0 && ms <= LOGIN_FAILURE_WINDOW_MS)).toBe(true);
  });
});
