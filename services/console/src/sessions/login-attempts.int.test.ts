import { randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import {
  createLoginAttempts,
  GUESSED_ACCOUNT_LIMIT,
  LOGIN_FAILURE_LIMITS,
  LOGIN_FAILURE_WINDOW_MS,
} from './login-attempts.js';

const redis = createRedis(testRedisUrl(), silentLogger, { replyTimeoutMs: 60_000 });
const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
let now = new Date('2026-08-26T14:00:00Z').getTime();
const attempts = createLoginAttempts({ redis, keyPrefix, clock: () => new Date(now) });

beforeEach(async () => {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
});

afterAll(() => redis.disconnect());

const limited = { reason: 'rate_limited' };

/** Counts guesses of an account's password from several networks, each at its limit. */
async function guessFromNetworks(account: string, networks: number): Promise<void> {
  for (let network = 0; network < networks; network += 1) {
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) {
      await attempts.beginUnknown(account, `network ${network}`);
    }
  }
}

describe('failed logins', () => {
  test.each([
    ['account', LOGIN_FAILURE_LIMITS.client, (who: string) => attempts.beginUnknown(who, 'network')],
    ['account', LOGIN_FAILURE_LIMITS.client, (who: string) => attempts.beginKnown(who)],
    ['address', LOGIN_FAILURE_LIMITS.address, (who: string) => attempts.beginFromNetwork(who)],
  ])(
    'are limited per %s to %d, with the wait until one more fits [HTTP-4, SESSION-2]',
    async (by, limit, begin) => {
      await begin('first');
      now += 60_000;
      for (let n = 1; n < limit; n += 1) await begin('first');
      await expect(begin('first')).rejects.toMatchObject({
        reason: 'rate_limited',
        message: `too many failed logins of this ${by}: the limit is ${limit} in 15 minutes; retry after 840 seconds`,
        attributes: { retryAfterSeconds: (LOGIN_FAILURE_WINDOW_MS - 60_000) / 1_000 },
      });
      await begin('second');

      now += LOGIN_FAILURE_WINDOW_MS - 60_000;
      await begin('first');
      await expect(begin('first')).rejects.toMatchObject(limited);
    },
  );

  test('from many networks leave each further network one attempt in the span [SESSION-9]', async () => {
    await guessFromNetworks('olive', GUESSED_ACCOUNT_LIMIT / LOGIN_FAILURE_LIMITS.client);
    await attempts.beginUnknown('olive', 'the office');
    await expect(attempts.beginUnknown('olive', 'the office')).rejects.toMatchObject(limited);
    await attempts.beginUnknown('olive', 'home');
    await attempts.beginUnknown('another', 'the office');
    await attempts.beginUnknown('another', 'the office');
  });

  test('that are refused in one network never limit the others [SESSION-9]', async () => {
    await guessFromNetworks('quiet', 1);
    for (let n = 0; n < GUESSED_ACCOUNT_LIMIT; n += 1) {
      await expect(attempts.beginUnknown('quiet', 'network 0')).rejects.toMatchObject(limited);
    }
    for (let n = 0; n < LOGIN_FAILURE_LIMITS.client; n += 1) await attempts.beginUnknown('quiet', 'home');
  });

  test('that turn out to be successful are removed', async () => {
    for (let n = 0; n < 2 * GUESSED_ACCOUNT_LIMIT; n += 1) {
      const attempt = await attempts.beginUnknown('frequent', 'network');
      await attempt.forget();
    }
    await attempts.beginUnknown('frequent', 'network');
    await expect(attempts.beginUnknown('frequent', 'network')).resolves.toBeDefined();
  });

  test('store no email address or client address in Redis, and expire after their span', async () => {
    await attempts.beginUnknown('olive@sunny.example', '192.0.2.1');
    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys.join()).not.toMatch(/olive|192/);
    const lifetimes = await Promise.all(keys.map((key) => redis.pttl(key)));
    expect(lifetimes.every((ms) => ms > 0 && ms <= LOGIN_FAILURE_WINDOW_MS)).toBe(true);
  });
});
