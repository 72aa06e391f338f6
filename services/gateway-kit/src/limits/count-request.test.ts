import { expect, test } from '@jest/globals';
import request from 'supertest';
import { createInMemoryRateLimiter } from '../testing/in-memory-rate-limiter.js';
import { assertError, createFixture, NOW } from '../testing/http-app-fixture.js';

test('listeners together take a third of the requests of their caller, and refused ones take none [LIMIT-10]', async () => {
  const limiter = createInMemoryRateLimiter(() => NOW);
  const { app } = createFixture({
    rateLimit: { limiter, keyOf: ({ id }) => id, limitOf: () => 9, countedAs: 'to the things API' },
  });
  const read = (key: string) => request(app).get('/things/1').set('x-api-key', key);
  for (let count = 0; count < 3; count += 1) await read('full').set('x-svc-listen', 'true').expect(200);
  for (let count = 0; count < 9; count += 1) {
    const refused = await read('full').set('x-svc-listen', 'true');
    expect(assertError(refused, 429, 'rate_limited').error).toBe(
      'too many requests: the limit is 3 requests a minute with x-svc-listen; retry after 61 seconds',
    );
    expect(refused.headers).toMatchObject({
      'retry-after': '61',
      'ratelimit-policy': '"listen";q=3;w=60',
      ratelimit: '"listen";r=0;t=60',
    });
  }
  for (let count = 0; count < 6; count += 1) await read('full').expect(200);
  await read('full').expect(429);
  await read('bare').set('x-svc-listen', 'true').expect(200);
});
