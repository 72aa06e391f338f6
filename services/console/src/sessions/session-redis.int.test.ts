import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { waitFor } from '@partner/kernel/process/wait-for';
import { withRedis } from '@partner/test-kit/backing-services/redis';
import { startRedisCluster } from '@partner/test-kit/backing-services/redis-groups';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import type { RedisClient } from '@partner/gateway-kit/limits/redis';
import { Registry } from 'prom-client';
import { origin, owner } from '../testing/test-owner.js';
import { createSessionRedis, requireSessions } from './session-redis.js';
import { createSessionSigner } from './session-signer.js';
import { createSessionStore } from './session-store.js';

const USERS = path.join(import.meta.dirname, '../../../../charts/job-state/files/redis-users.txt');

let redis: RedisClient;

afterEach(() => redis.disconnect());

/** Connects and returns the metric of the connection. */
async function connect(url: string, mustReply = true): Promise<unknown> {
  const metrics = new Registry();
  redis = createSessionRedis({ url, keyPrefix: 'partner:', logger: silentLogger, metrics });
  if (mustReply) {
    await waitFor('Redis', () => requireSessions(redis, 'partner:'), {
      logger: silentLogger,
      signal: new AbortController().signal,
    });
  }
  const warnings = await metrics.getSingleMetric('partner_console_session_redis_up')?.get();
  return warnings?.values.map(({ value }) => value);
}

describe('the connection for sessions', () => {
  test('is usable once a start has waited for it, and is reported as up', async () => {
    expect(await connect(testRedisUrl())).toEqual([1]);
    expect(await redis.exists('partner:{sessions}:probe')).toBe(0);
  });

  test('is reported as down while Redis is down', async () => {
    expect(await connect(`redis://127.0.0.1:${await freePort()}`, false)).toEqual([0]);
  });

  test('has all sessions of an owner in a cluster, as the user of the charts', async () => {
    const cluster = await startRedisCluster();
    try {
      for (const url of cluster.serverUrls) {
        await withRedis(url, async (client) => {
          for (const line of readFileSync(USERS, 'utf8').trim().split('\n')) {
            const [, , user = '', ...rules] = line.split(' ');
            await client.acl('SETUSER', user, ...rules, '>secret');
          }
        });
      }
      expect(await connect(cluster.url.replaceAll('//', '//partner-console:secret@'))).toEqual([1]);
      const store = createSessionStore({
        redis,
        signer: createSessionSigner({ keys: new Map([['0', randomBytes(32)]]) }),
        keyPrefix: 'partner:',
        clock: () => new Date(),
      });
      const first = await store.create(owner, origin);
      const second = await store.create(owner, origin);
      expect(await store.find(first.token)).toMatchObject({ id: first.session.id });
      expect(await store.endOwn('mem_1', first.session.publicId)).toBe(true);
      expect((await store.list('mem_1')).map(({ id }) => id)).toEqual([second.session.id]);
    } finally {
      redis.disconnect();
      await cluster.remove();
    }
  });
});
