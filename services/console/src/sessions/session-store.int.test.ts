import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createRedis } from '@partner/gateway-kit/limits/redis';
import { invariant } from '@partner/kernel/process/invariant';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import { origin, owner } from '../testing/test-owner.js';
import { createSessionSigner } from './session-signer.js';
import { createSessionStore } from './session-store.js';
import {
  CONFIRMED_MS,
  OWNER_CHECKED_EVERY_MS,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
} from './session-times.js';

const redis = createRedis(testRedisUrl(), silentLogger, { replyTimeoutMs: 60_000 });
const keyPrefix = `test-${randomBytes(6).toString('hex')}:`;
let now = new Date('2026-08-26T14:00:00Z').getTime();
const [former, current] = [randomBytes(32), randomBytes(32)];
const storeWith = (...keys: readonly Buffer[]) =>
  createSessionStore({
    redis,
    signer: createSessionSigner({ keys: new Map(keys.map((key, n) => [String(n), key])) }),
    keyPrefix,
    clock: () => new Date(now),
  });
const store = storeWith(current);

const DAY_MS = 24 * 3_600_000;

beforeEach(async () => {
  if (redis.status !== 'ready') await new Promise((resolve) => redis.once('ready', resolve));
});

afterAll(() => redis.disconnect());

describe('a session', () => {
  test('is found by its token', async () => {
    const { token, session } = await store.create(owner, origin);
    expect(session).toEqual({
      ...owner,
      ...origin,
      id: session.id,
      publicId: expect.stringMatching(/^ses_[0-9a-z]{26}$/),
      startedAt: new Date(now),
      lastSeenAt: new Date(now),
      expiresAt: new Date(now + SESSION_IDLE_MS),
      confirmedUntil: new Date(now + CONFIRMED_MS),
      ownerCheckedAt: new Date(now),
    });
    await expect(store.find(token)).resolves.toEqual(session);
  });

  test('of a viewer has a record in which an earlier version finds no owner [ROLE-6]', async () => {
    const viewer = { ...owner, role: 'viewer' } as const;
    const { token, session } = await store.create(viewer, origin);
    await expect(store.find(token)).resolves.toMatchObject(viewer);
    const record: unknown = JSON.parse(
      (await redis.hget(`${keyPrefix}{sessions}:${session.id}`, 'owner')) ?? '',
    );
    expect(record).toEqual({ viewer: expect.objectContaining({ membershipId: viewer.membershipId }) });
  });

  test('has a new token of 256 bits each time, and only its hash is stored [SESSION-1]', async () => {
    const [first, second] = [await store.create(owner, origin), await store.create(owner, origin)];
    expect(first.token).not.toBe(second.token);
    expect(Buffer.from(first.token, 'base64url')).toHaveLength(32);

    const keys = await redis.keys(`${keyPrefix}*`);
    expect(keys).toContain(
      `${keyPrefix}{sessions}:${createHash('sha256').update(first.token).digest('hex')}`,
    );
    const hashes = keys.filter((key) => key.includes(':session:'));
    const kept = await Promise.all(hashes.map(async (key) => JSON.stringify(await redis.hgetall(key))));
    expect([...keys, ...kept].join()).not.toContain(first.token);
    await expect(store.find(first.session.id)).resolves.toBeUndefined();
  });

  test('ends after 30 minutes without a request, and not before [SESSION-1]', async () => {
    expect(SESSION_IDLE_MS).toBe(30 * 60_000);
    const { token } = await store.create(owner, origin);
    now += SESSION_IDLE_MS - 1;
    await expect(store.find(token)).resolves.toMatchObject({
      expiresAt: new Date(now + SESSION_IDLE_MS),
    });
    now += SESSION_IDLE_MS;
    await expect(store.find(token)).resolves.toBeUndefined();
    now -= SESSION_IDLE_MS;
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('has its last request recorded at most once a second', async () => {
    const { token, session } = await store.create(owner, origin);
    now += 999;
    expect(await store.find(token)).toEqual(session);
    now += 1;
    expect(await store.find(token)).toMatchObject({ lastSeenAt: new Date(now) });
    expect(await store.find(token, { prolongs: false })).toMatchObject({ lastSeenAt: new Date(now) });
  });

  test('ends 12 hours after the login, even with requests [SESSION-1]', async () => {
    expect(SESSION_LIFETIME_MS).toBe(12 * 3_600_000);
    const { token } = await store.create(owner, origin);
    const end = now + SESSION_LIFETIME_MS;
    while (now + SESSION_IDLE_MS / 2 < end) {
      now += SESSION_IDLE_MS / 2;
      const session = await store.find(token);
      expect(session?.expiresAt.getTime()).toBe(Math.min(now + SESSION_IDLE_MS, end));
    }
    now = end;
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('that was ended stays ended, even with requests in flight', async () => {
    const { token, session } = await store.create(owner, origin);
    await Promise.all([store.find(token), store.end(session), store.find(token)]);
    await expect(store.find(token)).resolves.toBeUndefined();
    await store.end(session);
  });

  test('in an unknown format requires a new login', async () => {
    const { token, session } = await store.create(owner, origin);
    await redis.hset(`${keyPrefix}{sessions}:${session.id}`, 'owner', '{"companyId":"cmp_1"}');
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('that is only inspected still expires', async () => {
    const { token, session } = await store.create(owner, origin);
    now += SESSION_IDLE_MS - 1;
    await expect(store.peek(session.id)).resolves.toEqual(session);
    await expect(store.find(token, { prolongs: false })).resolves.toEqual(session);
    now += 1;
    await expect(store.peek(session.id)).resolves.toBeUndefined();
  });

  test('that has ended cannot be confirmed, and is not restored by it', async () => {
    const { session } = await store.create(owner, origin);
    await store.end(session);
    await expect(store.confirm(session.id)).resolves.toBeUndefined();
    await store.returnOwnerCheck(session.id);
    await expect(store.claimOwnerCheck(session.id)).resolves.toBe(false);
    await expect(redis.exists(`${keyPrefix}{sessions}:${session.id}`)).resolves.toBe(0);
  });

  test('has its owner checked by one request a minute, and by the next one if that check fails', async () => {
    const { session } = await store.create(owner, origin);
    now += OWNER_CHECKED_EVERY_MS - 1;
    await expect(store.claimOwnerCheck(session.id)).resolves.toBe(false);
    now += 1;
    const claims = await Promise.all([1, 2, 3].map(() => store.claimOwnerCheck(session.id)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    await store.returnOwnerCheck(session.id);
    await expect(store.claimOwnerCheck(session.id)).resolves.toBe(true);
    await expect(store.claimOwnerCheck(session.id)).resolves.toBe(false);
  });
});

describe('the sessions of an owner', () => {
  const idsOf = async (membershipId: string) =>
    (await store.list(membershipId)).map(({ publicId }) => publicId);

  test('are listed newest first, without ended ones, and only to their owner', async () => {
    const [mine, others] = [
      { ...owner, membershipId: 'mem_list' },
      { ...owner, membershipId: 'mem_other' },
    ];
    const first = await store.create(mine, origin);
    now += 1;
    const second = await store.create(mine, origin);
    const other = await store.create(others, origin);
    await expect(store.list('mem_list')).resolves.toEqual([second.session, first.session]);
    await expect(idsOf('mem_other')).resolves.toEqual([other.session.publicId]);

    await store.end(second.session);
    await expect(idsOf('mem_list')).resolves.toEqual([first.session.publicId]);
    now += SESSION_IDLE_MS;
    await expect(idsOf('mem_list')).resolves.toEqual([]);
    await expect(redis.exists(`${keyPrefix}{sessions}:of:mem_list`)).resolves.toBe(0);
  });

  test('are ended by their public ids, only by their owner and once', async () => {
    const { token, session } = await store.create({ ...owner, membershipId: 'mem_end' }, origin);
    await expect(store.endOwn('mem_1', session.publicId)).resolves.toBe(false);
    await expect(store.endOwn('mem_end', session.id)).resolves.toBe(false);
    await expect(store.find(token)).resolves.toBeDefined();
    await expect(store.endOwn('mem_end', session.publicId)).resolves.toBe(true);
    await expect(store.find(token)).resolves.toBeUndefined();
    await expect(store.endOwn('mem_end', session.publicId)).resolves.toBe(false);
  });

  test('are 50 at most, also with concurrent logins: the next one replaces the oldest active one [SESSION-4]', async () => {
    const crowd = { ...owner, membershipId: 'mem_crowd' };
    await Promise.all(Array.from({ length: 80 }, () => store.create(crowd, origin)));
    const active = await store.list('mem_crowd');
    expect(active).toHaveLength(50);
    const [ended, oldest] = [active[0], active.at(-1)];
    invariant(ended && oldest, 'there are 50');
    await store.end(ended);
    now += 1;
    expect((await store.create(crowd, origin)).displaced).toEqual([]);
    expect((await store.create(crowd, origin)).displaced).toEqual([oldest.publicId]);
  });

  test('are removed from Redis without another request, and so is their index', async () => {
    const lifetimes = await Promise.all((await redis.keys(`${keyPrefix}*`)).map((key) => redis.pttl(key)));
    expect(lifetimes.every((ms) => ms > 0 && ms <= SESSION_LIFETIME_MS)).toBe(true);
  });
});

describe('a record that another holder of the Redis credentials writes [SESSION-8]', () => {
  const keyOf = (id: string) => `${keyPrefix}{sessions}:${id}`;

  /** Stores a genuine record, with changes, as the session of a token of the forger's choice. */
  async function forge(changes: Record<string, string | number>): Promise<string> {
    const { session } = await store.create(owner, origin);
    const token = randomBytes(32).toString('base64url');
    const id = createHash('sha256').update(token).digest('hex');
    await redis.hset(keyOf(id), { ...(await redis.hgetall(keyOf(session.id))), ...changes });
    await redis.zadd(`${keyPrefix}{sessions}:of:mem_forged`, now, id);
    return token;
  }

  test.each([
    ['copied from another session', {}],
    ['of another owner', { owner: JSON.stringify({ ...owner, membershipId: 'mem_forged' }) }],
    ['with another client address', { remoteAddress: '192.0.2.1' }],
    ['without a readable field', { owner: 'none', lastSeenAt: 'nan', confirmedUntil: 'x' }],
  ])('%s is no session', async (_what, changes) => {
    await expect(store.find(await forge(changes))).resolves.toBeUndefined();
    await expect(store.list('mem_forged')).resolves.toEqual([]);
  });

  test('in the name of another owner does not show in the list of that one', async () => {
    const { session } = await store.create({ ...owner, membershipId: 'mem_victim' }, origin);
    await redis.zadd(`${keyPrefix}{sessions}:of:mem_spy`, now, session.id);
    await expect(store.list('mem_spy')).resolves.toEqual([]);
  });

  test('does not prolong a session beyond 12 hours', async () => {
    const { token, session } = await store.create(owner, origin);
    const key = keyOf(session.id);
    now += SESSION_LIFETIME_MS;
    await redis.hset(key, { lastSeenAt: now });
    const kept = await redis.hgetall(key);
    await expect(store.find(token)).resolves.toBeUndefined();
    await redis.hset(key, { ...kept, startedAt: now });
    await expect(store.find(token)).resolves.toBeUndefined();
  });

  test('does not prolong a session with another instant of its last request, nor does a request after it', async () => {
    const { token, session } = await store.create(owner, origin);
    now += SESSION_IDLE_MS - 1;
    const other = await store.create(owner, origin);
    const copied = await redis.hget(keyOf(other.session.id), 'lastSeenAt');
    for (const lastSeenAt of [now, now + DAY_MS, copied ?? '']) {
      await redis.hset(keyOf(session.id), { lastSeenAt });
      await expect(store.find(token)).resolves.toBeUndefined();
      await expect(store.find(token)).resolves.toBeUndefined();
      await expect(store.list(owner.membershipId)).resolves.not.toContainEqual(
        expect.objectContaining({ id: session.id }),
      );
    }
  });

  test('neither confirms a session nor passes for an owner check, not even with instants of another one', async () => {
    const { token, session } = await store.create(owner, origin);
    now += CONFIRMED_MS;
    const other = await redis.hgetall(keyOf((await store.create(owner, origin)).session.id));
    for (const forged of [
      { confirmedUntil: now + CONFIRMED_MS, ownerCheckedAt: now },
      { confirmedUntil: now + CONFIRMED_MS, ownerCheckedAt: now + DAY_MS },
      { confirmedUntil: other['confirmedUntil'] ?? '', ownerCheckedAt: other['ownerCheckedAt'] ?? '' },
    ]) {
      await redis.hset(keyOf(session.id), forged);
      const found = await store.find(token);
      expect(found?.confirmedUntil.getTime()).toBeLessThanOrEqual(now);
      expect(found?.ownerCheckedAt.getTime()).toBeLessThan(now - OWNER_CHECKED_EVERY_MS);
      await expect(store.claimOwnerCheck(session.id)).resolves.toBe(true);
    }
  });

  test('is a session again while the key that signed it is kept, and not after', async () => {
    const { token, session } = await storeWith(former).create(owner, origin);
    await expect(storeWith(current, former).find(token)).resolves.toEqual(session);
    await expect(storeWith(current).find(token)).resolves.toBeUndefined();
  });
});
