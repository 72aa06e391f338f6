import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { eventually } from '@partner/test-kit/eventually';
import { createRecorder } from '@partner/test-kit/recorder';
import type { HttpAppOptions } from './http-app.js';
import { type Caller, createFixture, readThing, writeThing } from '../testing/http-app-fixture.js';
import { createInMemoryRateLimiter } from '../testing/in-memory-rate-limiter.js';

/** An eighth of it is for bodies: 16 KB, of which one caller has at most half. */
const MEMORY_BYTES = 8 * 16_384;

const servers: Server[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map(closeServer));
});

/** An app whose callers are named by their key, and connections to it. */
async function start(overrides: Partial<HttpAppOptions<Caller>> = {}) {
  const timers = createManualTimers();
  const fixture = createFixture({
    authenticate: async ({ header }) => ({ id: header('x-api-key') ?? '', scopes: ['leads:write'] }),
    rateLimit: {
      limiter: createInMemoryRateLimiter(() => new Date()),
      keyOf: ({ id }) => id,
      limitOf: () => 1_000,
      countedAs: 'to the things API',
    },
    memoryBytes: MEMORY_BYTES,
    after: timers.after,
    ...overrides,
  });
  const server = createHttpServer(fixture.app);
  servers.push(server);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
  /** Sends the head of a request and a part of its body. */
  const send = (key: string, length: number | 'chunked', body = ''): Socket => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    const framing = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
    socket.write(
      `POST /things HTTP/1.1\r\nhost: a\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\n${framing}\r\n\r\n${body}`,
    );
    return socket;
  };
  /** Resolves once this many bodies are being read: each has one timer. */
  const beingRead = (count: number) =>
    eventually(`${count} bodies are being read`, () => timers.waiting() === count);
  const statusOf = async (socket: Socket) => {
    const received: unknown[] = await once(socket, 'data');
    return Number(String(received[0]).slice(9, 12));
  };
  return { ...fixture, beingRead, timers, send, statusOf, port };
}

/** The same, while the requests of `caller` have all slots that it can have. */
async function startBusy() {
  const held = createRecorder<() => void>();
  const started = await start({
    endpoints: [
      writeThing(async () => ({ status: 200, json: {} })),
      readThing(async () => {
        await new Promise<void>((resolve) => held.record(resolve));
        return { status: 200, json: {} };
      }),
    ],
    rpcTimeoutMs: 600_000,
  });
  const read = () =>
    fetch(`http://127.0.0.1:${started.port}/things/1`, { headers: { 'x-api-key': 'caller' } });
  const reads = Array.from({ length: 100 }, read);
  await held.atLeast(100);
  const finishReads = async () => {
    for (const finish of held.all()) finish();
    expect((await Promise.all(reads)).every(({ status }) => status === 200)).toBe(true);
  };
  return { ...started, finishReads };
}

const chunk = (bytes: string) => `${bytes.length.toString(16)}\r\n${bytes}\r\n`;

/** A valid body of this many bytes. */
const bodyOf = (length: number) => `{"address":"${'x'.repeat(length - 14)}"}`;

describe('the bodies in flight', () => {
  test('of one caller fill half of the room, and those of another are still read [HTTP-22, LIMIT-11]', async () => {
    const { beingRead, send, statusOf, metrics } = await start();
    send('hostile', 8_192, '{');
    await beingRead(1);
    const received: unknown[] = await once(send('hostile', 1, '{'), 'data');
    expect(String(received[0])).toMatch(/^HTTP\/1.1 503 [^]*retry-after: 1\r\n/i);
    expect(await statusOf(send('other', 4_096, bodyOf(4_096)))).toBe(200);
    const counts = await metrics.metrics();
    expect(counts).toContain('status_class="refused"} 1');
    expect(counts).not.toContain('5xx');
  });

  test.each([
    ['is complete', (socket: Socket) => socket.write(bodyOf(8_192).slice(1)), 200],
    ['is not JSON', (socket: Socket) => socket.write('}'.repeat(8_191)), 400],
    ['is cut off', (socket: Socket) => socket.destroy(), undefined],
  ])('have room again once a body %s [LIMIT-11]', async (_what, end, status) => {
    const { beingRead, send, statusOf } = await start();
    const first = send('caller', 8_192, '{');
    await beingRead(1);
    end(first);
    if (status !== undefined) expect(await statusOf(first)).toBe(status);
    await beingRead(0);
    expect(await statusOf(send('caller', 8_192, bodyOf(8_192)))).toBe(200);
  });

  test('count a body until its request is done [LIMIT-11]', async () => {
    const held = createRecorder<() => void>();
    const { send, statusOf } = await start({
      endpoints: [
        writeThing(async () => {
          await new Promise<void>((resolve) => held.record(resolve));
          return { status: 204 };
        }),
      ],
    });
    const first = send('caller', 8_192, bodyOf(8_192));
    const [finish] = await held.atLeast(1);
    expect(await statusOf(send('caller', 2_048, bodyOf(2_048)))).toBe(503);
    finish?.();
    expect(await statusOf(first)).toBe(204);
    const second = send('caller', 8_192, bodyOf(8_192));
    (await held.atLeast(2))[1]?.();
    expect(await statusOf(second)).toBe(204);
  });

  test('count one without a length as it grows, in few pieces or many [LIMIT-11]', async () => {
    const { send, statusOf } = await start({ memoryBytes: 8 * 131_072 });
    const whole = chunk(bodyOf(65_536)) + '0\r\n\r\n';
    expect(await statusOf(send('caller', 'chunked', whole))).toBe(200);
    expect(await statusOf(send('caller', 'chunked', chunk(bodyOf(140_000))))).toBe(503);
    const single = bodyOf(10_000).replaceAll(/./g, chunk) + '0\r\n\r\n';
    expect(await statusOf(send('caller', 'chunked', single))).toBe(200);
    expect(await statusOf(send('caller', 'chunked', chunk(' ').repeat(20_001)))).toBe(400);
  });

  test('do not include one that comes too slowly: it is 408 and leaves its room [HTTP-23, LIMIT-11]', async () => {
    const { beingRead, send, statusOf, timers } = await start({ memoryBytes: 8 * 262_144 });
    const steady = send('caller', 65_536, bodyOf(65_536).slice(0, 32_768));
    const slow = send('other', 65_536, bodyOf(65_536).slice(0, 32_767));
    await beingRead(2);
    // Both parts have arrived once later requests of their connections' server are served.
    expect(await statusOf(send('third', 2_048, bodyOf(2_048)))).toBe(200);
    timers.pass(10_000);
    expect(await statusOf(slow)).toBe(408);
    await beingRead(1);
    steady.write(bodyOf(65_536).slice(32_768));
    expect(await statusOf(steady)).toBe(200);
  });

  test('wait for the slot of their request before they are read [LIMIT-8]', async () => {
    const { beingRead, finishReads, send, statusOf } = await startBusy();
    const waiting = send('caller', 4_096, bodyOf(4_096));
    expect(await statusOf(send('other', 4_096, bodyOf(4_096)))).toBe(200);
    await beingRead(0);
    await finishReads();
    expect(await statusOf(waiting)).toBe(200);
  });

  test('leave no slot taken if the client leaves while its request waits', async () => {
    const { finishReads, send, statusOf, lines } = await startBusy();
    const waiting = send('caller', 8_192, '{');
    // It waits once a later request has passed through.
    expect(await statusOf(send('other', 2_048, bodyOf(2_048)))).toBe(200);
    waiting.destroy();
    await lines.find(({ aborted }) => aborted === true);
    await finishReads();
    expect(await statusOf(send('caller', 8_192, bodyOf(8_192)))).toBe(200);
  });
});

test('the time of a client to send a body is not that of the service [HTTP-22]', async () => {
  const { beingRead, send, statusOf, metrics, timers } = await start();
  const slow = send('caller', 8_192, '{');
  await beingRead(1);
  const startedAt = performance.now();
  await eventually('some time has passed', () => performance.now() - startedAt > 250);
  timers.pass(10_000);
  expect(await statusOf(slow)).toBe(408);
  const sum = /duration_seconds_sum\{.*"4xx"\} (.*)/.exec(await metrics.metrics())?.[1];
  expect(Number(sum)).toBeLessThan((performance.now() - startedAt) / 1_000);
});

test('a body of the largest size of its operation is read, and none of a larger one [LIMIT-5]', async () => {
  const endpoint = { ...writeThing(async () => ({ status: 200, json: {} })), maxBodyBytes: 3_000 };
  const { send, statusOf } = await start({ endpoints: [endpoint], maxBodyBytes: 100 });
  expect(await statusOf(send('caller', 3_000, bodyOf(3_000)))).toBe(200);
  expect(await statusOf(send('caller', 3_001))).toBe(413);
  expect(await statusOf(send('caller', 'chunked', chunk(bodyOf(3_000)) + '0\r\n\r\n'))).toBe(200);
  expect(await statusOf(send('caller', 'chunked', chunk(bodyOf(3_000)) + chunk(' ')))).toBe(413);
});
