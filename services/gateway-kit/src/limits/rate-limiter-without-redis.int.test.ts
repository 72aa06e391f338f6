import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@partner/test-kit/backing-services/local-process';
import { type LocalRedis, startRedis } from '@partner/test-kit/backing-services/redis';
import { eventually } from '@partner/test-kit/eventually';
import { BUCKET_MS, SPAN_MS } from './sliding-window.js';
import {
  connect,
  createReplica,
  isDegraded,
  takeTimes,
  twoReplicas,
  valueOf,
} from '../testing/rate-limiter-fixture.js';

describe('the limiter without Redis', () => {
  /** After this time a hung Redis is detected. */
  const NOTICED_MS = 1_000;
  let directory: string;
  let server: LocalRedis;
  let port: number;

  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'partner-redis-'));
    port = await freePort();
    server = await startRedis({ directory, port });
  });
  afterEach(() => {
    server.process.signal('SIGCONT');
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('reports a hung Redis without a request, and when the local count refuses every request [LIMIT-6]', async () => {
    const { limiter, metrics } = createReplica(await connect(server.url, NOTICED_MS));
    for (const room of [30, 0]) {
      server.process.signal('SIGSTOP');
      await eventually('counting in this process', () => isDegraded(metrics));
      expect(await takeTimes(limiter, 'refusing', 60, 40)).toBe(room);
      server.process.signal('SIGCONT');
      await eventually('shared counting', async () => !(await isDegraded(metrics)));
      expect(await limiter.take('refusing', 60)).toMatchObject({ accepted: false });
    }
  });

  test('drops the oldest failing networks beyond its memory, and no known caller [LIMIT-6]', async () => {
    const localBytes = 16 * 1_048_576;
    // The names have most of a count's size.
    const nameOf = (network: number) => `${'n'.repeat(400_000)}${network}`;
    const redis = await connect(server.url, NOTICED_MS);
    const { limiter, metrics, advance } = createReplica(redis, { replicas: 1 });
    redis.disconnect();
    expect(await takeTimes(limiter, 'company', 5, 6)).toBe(5);
    for (let network = 0; network < 40; network += 1) {
      for (let failure = 0; failure < 60; failure += 1) {
        await limiter.take(nameOf(network), 60, 'stranger');
        advance(BUCKET_MS);
      }
    }
    expect(await valueOf(metrics, 'partner_rate_limiter_local_bytes')).toBeLessThanOrEqual(2 * localBytes);
    expect(await limiter.take(nameOf(39), 60, 'stranger')).toMatchObject({ accepted: false });
    expect(await limiter.take(nameOf(0), 60, 'stranger')).toMatchObject({ accepted: true });
    expect(await limiter.take('company', 5)).toMatchObject({ accepted: false });
  });

  test('continues with its share when Redis hangs: all replicas accept no more than the limit, in this span and after it [LIMIT-6]', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'span', 60, 5)).toBe(5);
    server.process.signal('SIGSTOP');
    // Redis counts commands sent before the failure is detected late; it never receives later ones.
    await Promise.all([a, b].map(({ limiter }) => limiter.take('noticed', 60)));
    expect(await takeTimes(a.limiter, 'span', 60, 15)).toBe(15);
    expect(await takeTimes(b.limiter, 'span', 60, 100)).toBe(30);
    expect(await b.limiter.take('span', 60)).toMatchObject({ accepted: false, remaining: 0 });
    expect((await b.limiter.take('never seen', 1)).accepted).toBe(true);
    for (const { metrics } of [a, b]) expect(await isDegraded(metrics)).toBe(true);
    server.process.signal('SIGCONT');
    for (const { metrics } of [a, b]) {
      await eventually('shared counting', async () => !(await isDegraded(metrics)));
    }
    for (const { advance } of [a, b]) advance(30_000);
    expect(await takeTimes(b.limiter, 'span', 60, 100)).toBe(0);
    expect(await takeTimes(a.limiter, 'span', 60, 100)).toBe(10);
    expect(await takeTimes(a.limiter, 'span', 60, 100)).toBe(0);
    for (const { advance } of [a, b]) advance(SPAN_MS + BUCKET_MS + 1);
    expect(await takeTimes(a.limiter, 'span', 60, 50)).toBe(50);
    expect(await takeTimes(b.limiter, 'span', 60, 50)).toBe(10);
  });

  test('counts the last known requests of the other replicas, for as long as they may count', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'uneven', 60, 45)).toBe(45);
    for (const { advance } of [a, b]) advance(10_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 5)).toBe(5);
    server.process.signal('SIGSTOP');
    await Promise.all([a, b].map(({ limiter }) => limiter.take('noticed', 60)));

    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(10);
    expect(await takeTimes(a.limiter, 'uneven', 60, 100)).toBe(0);
    // Its own first five and the known count of the other replica expire together.
    const refused = { accepted: false, remaining: 0, resetSeconds: 61, retryAfterSeconds: 61 };
    expect(await b.limiter.take('uneven', 60)).toEqual({ ...refused, limit: 60 });
    b.advance(60_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(0);
    b.advance(1_000);
    expect(await takeTimes(b.limiter, 'uneven', 60, 100)).toBe(30);
  });

  test("ignores the others' requests of a key when the clock was far ahead", async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'ahead', 60, 60)).toBe(60);
    expect(await takeTimes(b.limiter, 'ahead', 60, 1)).toBe(0);
    server.process.signal('SIGSTOP');
    await b.limiter.take('noticed', 60);
    b.advance(-3_600_000);
    expect(await takeTimes(b.limiter, 'ahead', 60, 100)).toBe(30);
  });

  test('needs room in the shared count too just after Redis recovers, and does not charge refused requests', async () => {
    const [a, b] = await twoReplicas(server.url, NOTICED_MS);
    expect(await takeTimes(a.limiter, 'both', 60, 55)).toBe(55);
    for (const { advance } of [a, b]) advance(30_000);
    server.process.signal('SIGSTOP');
    await b.limiter.take('noticed', 60);
    server.process.signal('SIGCONT');
    await eventually('shared counting', async () => !(await isDegraded(b.metrics)));
    expect(await takeTimes(b.limiter, 'both', 60, 100)).toBe(5);
    // The 55 have left: the shared count has room again, and 25 of the share of 30 are still counted.
    for (const { advance } of [a, b]) advance(30_000 + BUCKET_MS);
    expect(await takeTimes(b.limiter, 'both', 60, 100)).toBe(25);
    expect(await takeTimes(a.limiter, 'both', 60, 100)).toBe(30);
  });

  test('never accepts more than the limit in one process, even when Redis has lost its counts', async () => {
    const { limiter, metrics } = createReplica(await connect(server.url, NOTICED_MS), { replicas: 1 });
    expect(await takeTimes(limiter, 'lost', 60, 40)).toBe(40);
    await server.stop();
    expect(await takeTimes(limiter, 'lost', 60, 10)).toBe(10);
    server = await startRedis({ directory, port });
    await eventually('shared counting', async () => !(await isDegraded(metrics)));
    expect(await takeTimes(limiter, 'lost', 60, 60)).toBe(10);
    expect(await limiter.take('lost', 60)).toMatchObject({ accepted: false, remaining: 0 });
  });
});
