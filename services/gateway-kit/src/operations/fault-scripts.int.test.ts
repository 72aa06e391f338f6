import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  faultScriptIn,
  type RequestFaults,
} from '@partner/proto-contracts/resources/fault-script/fault-script';
import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { z } from 'zod';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { notFound } from '@partner/kernel/process/service-error';
import { eventually } from '@partner/test-kit/eventually';
import { createFixture, lead, NOW, writeThing } from '../testing/http-app-fixture.js';
import { createInMemoryRateLimiter } from '../testing/in-memory-rate-limiter.js';
import { testRedisUrl } from '@partner/test-kit/backing-services/server-urls';
import type { ApiKeyPrincipal } from '../auth/api-key-authentication.js';
import { createFaultScripts } from './fault-scripts.js';
import { createRedis, type RedisClient } from '../limits/redis.js';

let redis: RedisClient;

async function connect(): Promise<RedisClient> {
  const client = createRedis(testRedisUrl(), silentLogger, { replyTimeoutMs: 60_000 });
  await eventually('the connection to Redis', () => client.status === 'ready');
  return client;
}

beforeAll(async () => {
  redis = await connect();
});

afterAll(() => redis.disconnect());

/** Creates a surface on which all keys have one script, and counts the runs of its endpoint; `fails` makes that refuse. */
function createGateway(options: {
  readonly faults: RequestFaults | undefined;
  readonly from?: RedisClient;
  readonly fails?: boolean;
}) {
  const faultScripts = createFaultScripts({
    redis: options.from ?? redis,
    keyPrefix: 'test:',
    logger: silentLogger,
  });
  const principal: ApiKeyPrincipal = {
    kind: 'general',
    keyId: 'key_1',
    companyId: 'cmp_1',
    companyClass: 'SALES',
    ...(options.faults === undefined ? {} : { faults: options.faults }),
  };
  let done = 0;
  const { app } = createFixture({
    endpoints: [
      writeThing(async () => {
        done += 1;
        if (options.fails === true) throw notFound('thing');
        return { status: 201, json: { done } };
      }),
    ],
    rateLimit: {
      limiter: createInMemoryRateLimiter(() => NOW),
      keyOf: ({ id }) => id,
      limitOf: () => 100,
      countedAs: 'to the API',
    },
    injectFaults: (_caller, request) => faultScripts.inject(principal, request),
  });
  return { app, faultScripts, done: () => done };
}

function script(requests: z.input<typeof faultScriptIn>['requests']): RequestFaults {
  return { id: randomUUID(), requests: faultScriptIn.parse({ requests }).requests };
}

const write = ({ app }: ReturnType<typeof createGateway>) =>
  request(app).post('/things').set('x-api-key', 'full').send(lead);

describe('the requests of a key with a fault script', () => {
  test('are refused as by a rate limit, then fail before they have any effect, and succeed after the last step', async () => {
    const gateway = createGateway({
      faults: script([
        { fault: 'rate_limited', retryAfterSeconds: 7, times: 2 },
        { fault: 'server_error' },
        { fault: 'server_error', status: 500 },
      ]),
    });
    for (const _ of [1, 2]) {
      const refused = await write(gateway).set('x-request-id', 'mine-1');
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ code: 'rate_limited', requestId: 'mine-1' });
      expect(refused.headers).toMatchObject({
        'x-request-id': 'mine-1',
        'retry-after': '7',
        'ratelimit-policy': '"default";q=100;w=60',
        ratelimit: '"default";r=0;t=7',
      });
    }
    const disconnected = await write(gateway);
    expect([disconnected.status, disconnected.headers['retry-after']]).toEqual([503, '1']);
    expect(disconnected.body).toMatchObject({
      code: 'unavailable',
      error: expect.stringContaining('nothing was done'),
    });
    expect(disconnected.headers['ratelimit']).toMatch(/^"default";r=97;/);
    expect((await write(gateway)).body).toMatchObject({ code: 'internal' });
    expect(gateway.done()).toBe(0);
    expect((await write(gateway)).status).toBe(201);
  });

  test.each([false, true])(
    'take effect and lose their responses, also refusals: %s [SANDBOX-2]',
    async (fails) => {
      const gateway = createGateway({
        faults: script([{ fault: 'server_error', status: 503, when: 'after' }]),
        fails,
      });
      const lost = await write(gateway);
      expect(lost.status).toBe(503);
      expect(lost.body).toMatchObject({ error: expect.stringContaining('check whether it took effect') });
      expect(gateway.done()).toBe(1);
      expect((await write(gateway)).status).toBe(fails ? 404 : 201);
    },
  );

  test("are delayed, but not beyond the gateway's shutdown", async () => {
    const gateway = createGateway({ faults: script([{ fault: 'delay', delayMs: 20_000, times: 2 }]) });
    const held = Promise.all([write(gateway), write(gateway)]);
    const idle = createGateway({ faults: undefined });
    expect((await write(idle)).status).toBe(201);
    expect(gateway.done()).toBe(0);
    gateway.faultScripts.stop();
    expect((await held).map(({ status }) => status)).toEqual([201, 201]);
  });

  test('are counted over all replicas, and from the first step when the script is set again [SANDBOX-2]', async () => {
    const faults = script([{ fault: 'rate_limited', times: 3 }, { fault: 'server_error' }]);
    const replicas = [createGateway({ faults }), createGateway({ faults })];
    const statuses = await Promise.all(
      replicas.flatMap((replica) => [1, 2, 3].map(async () => (await write(replica)).status)),
    );
    expect(statuses.sort()).toEqual([201, 201, 429, 429, 429, 503]);
    const anew = createGateway({ faults: { ...faults, id: randomUUID() } });
    expect((await write(anew)).status).toBe(429);
  });

  test('have no faults while Redis is down, and their count expires', async () => {
    // A client that never connected would keep a timer of 2 s beyond its end.
    const disconnected = await connect();
    disconnected.disconnect();
    const faults = script([{ fault: 'server_error' }]);
    expect((await write(createGateway({ faults, from: disconnected }))).status).toBe(201);
    await write(createGateway({ faults }));
    expect(await redis.pttl(`test:faults:{${faults.id}}`)).toBeGreaterThan(0);
  });
});
