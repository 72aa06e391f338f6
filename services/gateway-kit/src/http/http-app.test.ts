import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import { createRecorder } from '@partner/test-kit/recorder';
import request from 'supertest';
import { createApiVersions } from '../versions/api-versions.js';
import {
  assertError,
  createFixture,
  lead,
  readThing,
  UUID_V7,
  writeThing,
} from '../testing/http-app-fixture.js';

describe('a streamed response', () => {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };

  test('continues until it is ended, for HEAD from the start, and is logged but not timed', async () => {
    const over: boolean[] = [];
    const { app, lines, metrics } = createFixture({
      endpoints: [
        readThing(async () => ({
          status: 200,
          headers,
          stream(stream) {
            over.push(stream.over.aborted);
            stream.write('one ');
            setImmediate(() => {
              stream.write('two');
              stream.end();
            });
          },
        })),
      ],
    });
    const response = await request(app).get('/things/1').set('x-api-key', 'full');
    expect(response.text).toBe('one two');
    expect(response.headers).toMatchObject({
      ...headers,
      'cache-control': 'no-store',
      // No request follows on its connection.
      connection: 'close',
    });
    expect(response.headers['content-length']).toBeUndefined();
    await lines.find(({ msg, status }) => msg === 'http.request_completed' && status === 200);
    expect(await metrics.metrics()).not.toContain('partner_http_request_duration_seconds_count{');
    expect((await request(app).head('/things/1').set('x-api-key', 'full')).status).toBe(200);
    expect(over).toEqual([false, true]);
  });
});

describe('every response', () => {
  test('has the request id of the caller when it has the right form, else a new one [ERROR-2, HTTP-8]', async () => {
    const { app } = createFixture();
    const idOf = async (sent: string) => {
      const bytes = Buffer.from(sent, 'utf8').toString('latin1');
      const { headers } = await request(app).get('/nothing').set('x-request-id', bytes);
      return headers['x-request-id'];
    };
    const id = 'A-z.0_9:x'.padEnd(128, 'x');
    expect(await idOf(id)).toBe(id);
    for (const wrong of ['', `${id}x`, 'a b', 'a/b', 'ä']) expect(await idOf(wrong)).toMatch(UUID_V7);
  });
});

describe('the order of checks', () => {
  test('begins with paths, as they are sent, and methods: 404 and 405 need no credentials [HTTP-15]', async () => {
    const { app } = createFixture();
    for (const path of ['/nothing', '/things/1/', '/Things/1', '/%74hings/1', '//things/1']) {
      const { error } = assertError(await request(app).get(path), 404, 'not_found');
      expect(error).toBe('path: does not exist');
    }
    for (const [method, path, allow] of [
      ['delete', '/things/1', 'GET, HEAD'],
      ['options', '/things/1', 'GET, HEAD'],
      ['trace', '/things/1', 'GET, HEAD'],
      ['get', '/things', 'POST'],
    ] as const) {
      const response = await request(app)[method](path);
      assertError(response, 405, 'method_not_allowed');
      expect(response.headers['allow']).toBe(allow);
    }
  });

  test('applies the rate limit before the scope, and the scope before the input [AUTH-9, HTTP-4, HTTP-5]', async () => {
    const { app } = createFixture();
    const send = () =>
      request(app).post('/things').set('x-api-key', 'bare').set('content-type', 'text/plain').send('{');
    for (let remaining = 4; remaining >= 0; remaining -= 1) {
      const response = await send();
      expect(assertError(response, 403, 'permission_denied').error).toBe(
        'x-api-key: this key lacks the scope leads:write; keys of kind general have it',
      );
      expect(response.headers['ratelimit-policy']).toBe('"default";q=5;w=60');
      expect(response.headers['ratelimit']).toBe(`"default";r=${remaining};t=60`);
    }
    const refused = await send();
    expect(assertError(refused, 429, 'rate_limited').error).toBe(
      'too many requests: the limit is 5 requests a minute to the things API; retry after 61 seconds',
    );
    expect(refused.headers['retry-after']).toBe('61');
    expect(refused.headers['ratelimit']).toBe('"default";r=0;t=60');
  });

  test('charges only failures to the client address, and refuses only failures for it [HTTP-4, LIMIT-6]', async () => {
    const { app } = createFixture();
    for (let failure = 0; failure < 3; failure += 1) {
      const failed = await request(app).get('/things/1').set('x-api-key', 'wrong');
      assertError(failed, 401, 'unauthenticated');
      expect(failed.headers['ratelimit-policy']).toBe('"failed-authentication";q=3;w=60');
      expect(failed.headers['ratelimit']).toBe(`"failed-authentication";r=${2 - failure};t=60`);
      expect((await request(app).get('/things/1').set('x-api-key', 'full')).status).toBe(200);
    }
    const refused = await request(app).get('/things/1').set('x-api-key', 'wrong');
    expect(assertError(refused, 429, 'rate_limited').error).toBe(
      'too many failed authentications from this address: the limit is 3 a minute; retry after 61 seconds',
    );
    expect(refused.headers['retry-after']).toBe('61');
    expect(refused.headers['ratelimit']).toBe('"failed-authentication";r=0;t=60');
    expect((await request(app).get('/things/1').set('x-api-key', 'full')).status).toBe(200);
  });

  test('reports to the authentication whether the client network is over its failure limit [LIMIT-6]', async () => {
    const flags: boolean[] = [];
    const { app } = createFixture({
      trustedProxyHops: 1,
      authenticate: async ({ isOverFailureLimit }) => {
        flags.push(isOverFailureLimit);
        throw new ServiceError('unauthenticated', 'x-api-key: must be a key');
      },
    });
    const send = (address: string) => request(app).get('/things/1').set('x-forwarded-for', address);
    for (let failure = 0; failure < 4; failure += 1) await send('2001:db8::1');
    assertError(await send('2001:db8::2'), 429, 'rate_limited');
    assertError(await send('2001:db8:0:1::'), 401, 'unauthenticated');
    expect(flags).toEqual([false, false, false, false, true, false]);
  });

  test('returns 503 when the caller cannot be identified, and charges nothing to the client address', async () => {
    const { app } = createFixture();
    for (let turn = 0; turn < 4; turn += 1) {
      const response = await request(app).get('/things/1').set('x-api-key', 'down');
      assertError(response, 503, 'unavailable');
      expect(response.headers['retry-after']).toBe('7');
    }
    assertError(await request(app).get('/things/1').set('x-api-key', 'wrong'), 401, 'unauthenticated');
  });
});

describe('each request', () => {
  test('is logged in one line and observed once', async () => {
    const { app, lines, metrics } = createFixture();
    const response = await request(app)
      .get('/things/1?take=3')
      .set('x-api-key', 'full')
      .set('x-request-id', 'abc');
    expect(response.status).toBe(200);
    await request(app).get('/nothing');
    const [line, other] = await lines.atLeast(2);
    expect(line).toMatchObject({
      msg: 'http.request_completed',
      level: 'info',
      method: 'GET',
      route: '/things/:id',
      status: 200,
      keyId: 'full',
      requestId: 'abc',
    });
    expect(JSON.stringify(line)).not.toContain('take');
    expect(line).not.toHaveProperty('apiVersion');
    expect(other).toMatchObject({ route: 'unmatched', status: 404, code: 'not_found' });
    const text = await metrics.metrics();
    expect(text).toContain(
      'partner_http_request_duration_seconds_count{route="/things/:id",method="GET",status_class="2xx"} 1',
    );
    expect(text).toContain(
      'partner_http_request_duration_seconds_count{route="unmatched",method="GET",status_class="4xx"} 1',
    );
    // Only the request with a known caller; its company class is the only label about the caller.
    expect(text.match(/partner_http_company_class_request_duration_seconds_count\{.*/g)).toEqual([
      'partner_http_company_class_request_duration_seconds_count{company_class="installer",status_class="2xx"} 1',
    ]);
  });

  test('of a versioned surface names its version, and the end of a superseded one, in headers and log [VERSION-8]', async () => {
    const superseded = { ends: '2027-04-10', link: '/changelog' };
    const lives = [
      { date: '2026-08-26', announced: '2026-08-26', superseded },
      { date: '2027-02-01', announced: '2027-01-10' },
    ];
    const { app, lines } = createFixture({
      versions: createApiVersions(lives, () => new Date('2027-01-10')),
    });
    for (const [path, status] of [
      ['/things/1', 200],
      ['/nothing', 404],
    ] as const) {
      const sent = request(app).get(path).set({ 'x-api-key': 'full', 'x-svc-api-version': '2026-08-26' });
      const sunset = 'Sat, 10 Apr 2027 00:00:00 GMT';
      expect((await sent).headers).toMatchObject({ 'x-svc-api-version': '2026-08-26', sunset });
      expect(await lines.find((line) => line['status'] === status)).toMatchObject({
        apiVersion: '2026-08-26',
      });
    }
  });

  test('aborts its RPCs when the client disconnects', async () => {
    const gone = createRecorder<string>();
    const begun = createRecorder<string>();
    const { app, lines } = createFixture({
      endpoints: [
        readThing(async ({ call }) => {
          begun.record('begun');
          await new Promise<void>((resolve) => {
            call.signal?.addEventListener('abort', () => {
              gone.record('gone');
              resolve();
            });
          });
          throw new ServiceError('unavailable', 'given up');
        }),
      ],
    });
    const server = createHttpServer(app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const client = new AbortController();
    const sent = fetch(`http://127.0.0.1:${port}/things/1`, {
      headers: { 'x-api-key': 'full' },
      signal: client.signal,
    });
    await begun.atLeast(1);
    client.abort();
    await expect(sent).rejects.toThrow('abort');
    await gone.atLeast(1);
    expect(await lines.atLeast(1)).toMatchObject([{ aborted: true }]);
    await closeServer(server);
  });
});

describe('a failure of an endpoint', () => {
  const failWith = (thrown: unknown) => {
    const { app, lines } = createFixture({
      endpoints: [
        readThing(async () => {
          throw thrown;
        }),
      ],
    });
    return { lines, response: request(app).get('/things/1').set('x-api-key', 'full') };
  };

  test('gets the status and the fields of its reason, and whether it is a repeat and when the key expires [ERROR-11]', async () => {
    const idempotency = { replayed: true, expiresAt: new Date('2026-10-16T12:00:00Z') };
    const stale = new ServiceError('stale_version', 'read again', { currentVersion: 4, idempotency });
    const repeated = await failWith(stale).response;
    expect(assertError(repeated, 409, 'stale_version').currentVersion).toBe(4);
    expect(repeated.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
    const moved = await failWith(
      new ServiceError('transition_not_allowed', 'no', { currentStatus: 'COMPLETE', allowed: [] }),
    ).response;
    expect(assertError(moved, 422, 'transition_not_allowed')).toMatchObject({
      currentStatus: 'COMPLETE',
      allowed: [],
    });
    assertError(await failWith(notFound('job')).response, 404, 'not_found');
  });

  test.each([new Error('SELECT secret FROM keys'), 'a text', undefined, null])(
    'that is unexpected (%p) is a 500 without details, and is logged [ERROR-10, HTTP-16]',
    async (thrown) => {
      const { response, lines } = failWith(thrown);
      const { error } = assertError(await response, 500, 'internal');
      expect(error).not.toContain('SELECT');
      const line = await lines.find(({ msg }) => msg === 'http.request_completed');
      expect(line).toMatchObject({ level: 'error', status: 500, code: 'internal' });
      if (thrown instanceof Error) expect(line['err']).toMatchObject({ message: 'SELECT secret FROM keys' });
    },
  );
});

describe('an endpoint that creates the credentials', () => {
  const read = { ...readThing(async () => ({ status: 200, json: {} })), unauthenticated: true };
  const endpoints = [
    { ...writeThing(async ({ body }) => ({ status: 201, json: body })), unauthenticated: true },
    read,
  ];

  test('counts a request of a network before its body, which may be wrong or never sent [LIMIT-12]', async () => {
    const { app } = createFixture({ endpoints, trustedProxyHops: 1 });
    const from = (address: string) => request(app).post('/things').set('x-forwarded-for', address);
    for (const address of ['2001:db8:1:2::1', '[2001:db8:1:2::2]:80', '2001:db8:1:2::3', '2001:db8:1:2::4'])
      assertError(await from(address).send({ address: 1 }), 400, 'invalid_argument');
    const server = createHttpServer(app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /things HTTP/1.1\r\nhost: a\r\nx-forwarded-for: 2001:db8:1:2::5\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n',
    );
    const received: unknown[] = await once(socket, 'data');
    const head = String(received[0]).toLowerCase();
    expect(head).toMatch(/^http\/1.1 429 /);
    expect(head).toContain('retry-after: 61');
    expect(head).toContain('ratelimit-policy: "without-credentials";q=4;w=60');
    expect(head).toContain('too many requests without a session from this address: the limit is 4 a minute');
    socket.destroy();
    await closeServer(server);
    expect((await from('2001:db8:1:3::1').send(lead)).status).toBe(201);
  });

  test('counts a known client apart from its network, and of the reads only the expensive ones [LIMIT-12, SESSION-9]', async () => {
    const expensive = { ...read, path: '/sums/:id', isCounted: true };
    const { app } = createFixture({ endpoints: [...endpoints, expensive] });
    for (let turn = 0; turn < 4; turn += 1) await request(app).post('/things').send(lead);
    assertError(await request(app).post('/things').send(lead), 429, 'rate_limited');
    expect((await request(app).post('/things').set('x-device', 'device 1').send(lead)).status).toBe(201);
    expect((await request(app).get('/things/1')).status).toBe(200);
    assertError(await request(app).get('/sums/1'), 429, 'rate_limited');
  });
});
