import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRedis } from '@partner/runtime/http/redis';
import { silentLogger } from '@partner/runtime/logger';
import { testRedisUrl } from '@partner/runtime/testing/parts';
import { createSessionStore, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session-store.js';

const redis = createRedis(testRedisUrl(), silentLogger);
const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
let now = new Date('2026-08-26T14:00:00Z').getTime();
const store = createSessionStore({ redis, keyPrefix, clock: () => new Date(now), randomBytes });

const owner = {
  membershipId: 'mem_1',
  displayName: 'Olive Owner',
  companyId: 'cmp_1',
  companyName: 'Sunny Installers',
  companyClass: 'INSTALLER',
} as const;

beforeEach(async () => {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
});

afterAll(() => redis.disconnect());

describe('a session', () => {
  test('is found by its token', async () => {
    const { token, session } = await store.create(owner);
    expect(session).toEqual({ ...owner, id: session.id, expiresAt: new Date(now + SESSION_IDLE_MS) });
    await expect(store.find(token)).resolves.toEqual(session);
  });

  test('has a new token of 256 bits each time, and only the hash of it is kept', async () => {
    const [first, second] = [await store.create(owner), await store.create(owner)];
    expect(first.token).not.toBe(second.token);
    expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);

    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys).toContain(`${keyPrefix}session:${createHash('sha256').update(first.token).digest('hex')}`);
    const kept = await Promise.all(keys.map(async (key) => JSON.stringify(await redis.hgetall(key))));
    expect([...keys, ...kept].join()).not.toContain(first.token);
    await expect(store.find(first.session.id)).resolves.toBeUndefined();
  });

  test('ends after 30 minutes without a request, and not before', async () => {
    expect(SESSION_IDLE_MS).toBe(30 * 60_000);
    const { token } = await store.create(owner);
    now += SESSION_IDLE_MS - 1;
    await expect(store.find(token)).resolves.toMatchObject({
      expiresAt: new Date(now + SESSION_IDLE_MS),
    });
    now += SESSION_IDLE_MS;
    await expect(store.find(token)).resolves.toBeUndefined();
    now -= SESSION_IDLE_MS;
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('ends 12 hours after the login, however busy it is', async () => {
    expect(SESSION_LIFETIME_MS).toBe(12 * 3_600_000);
    const { token } = await store.create(owner);
    const end = now + SESSION_LIFETIME_MS;
    while (now + SESSION_IDLE_MS / 2 < end) {
      now += SESSION_IDLE_MS / 2;
      const session = await store.find(token);
      expect(session?.expiresAt.getTime()).toBe(Math.min(now + SESSION_IDLE_MS, end));
    }
    now = end;
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('is cleared from Redis when nobody asks for it again', async () => {
    const { session } = await store.create(owner);
    const lifetime = await redis.pttl(`${keyPrefix}session:${session.id}`);
    expect(lifetime).toBeGreaterThan(0);
    expect(lifetime).toBeLessThanOrEqual(SESSION_IDLE_MS);
  });

  test('that was ended stays ended, however many requests are on their way', async () => {
    const { token, session } = await store.create(owner);
    await Promise.all([store.find(token), store.end(session.id), store.find(token)]);
    await expect(store.find(token)).resolves.toBeUndefined();
    await store.end(session.id);
  });

  test('is not found by anything that is no token', async () => {
    await expect(store.find('')).resolves.toBeUndefined();
    await expect(store.find('a'.repeat(42))).resolves.toBeUndefined();
    await expect(store.find('a'.repeat(43))).resolves.toBeUndefined();
  });

  test('of a form that this version does not know asks for a new login', async () => {
    const { token, session } = await store.create(owner);
    await redis.hset(`${keyPrefix}session:${session.id}`, 'owner', '{"companyId":"cmp_1"}');
    await expect(store.find(token)).resolves.toBeUndefined();
  });
});
