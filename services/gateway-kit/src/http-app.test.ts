import { describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import type { Scope } from '@partner/proto-contracts/api/scopes';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import request from 'supertest';
import { z } from 'zod';
import { closeServer, listen } from '@partner/kernel/listen';
import { createLogger } from '@partner/kernel/logger';
import { notFound, ServiceError } from '@partner/kernel/service-error';
import { createInMemoryRateLimiter } from './testing/in-memory-rate-limiter.js';
import { createRecorder } from '@partner/test-kit/recorder';
import type { ResponseStream } from './response-stream.js';
import { createApiVersions } from './api-versions.js';
import {
  type AnyEndpoint,
  type ContentCoding,
  type EndpointResponse,
  type EndpointRequest,
  serveOperation,
} from './endpoint.js';
import { createHttpApp, type HttpAppOptions } from './http-app.js';
import { createHttpServer } from '@partner/kernel/http-server';

interface Caller {
  readonly id: string;
  readonly scopes: readonly Scope[];
}

const bodySchema = z.object({ address: z.string().min(3) });
const logLine = z.record(z.string(), z.unknown());
const NOW = new Date('2026-09-01T12:00:00.000Z');
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const oneVersion = createApiVersions({
  lives: [{ date: '2026-08-26', announced: '2026-08-26' }],
  differences: {},
  now: () => new Date('2026-09-01T12:00:00Z'),
});

const writeThing = (handle: AnyEndpoint<Caller>['handle']) =>
  serveOperation(
    {
      id: 'writeThing',
      method: 'post',
      path: '/things',
      scope: 'leads:write',
      idempotencyKey: 'optional',
      body: bodySchema,
    },
    handle,
  );
const readThing = (handle: AnyEndpoint<Caller>['handle']) =>
  serveOperation(
    {
      id: 'readThing',
      method: 'get',
      path: '/things/:id',
      query: z.object({ take: z.coerce.number({ error: 'must be an integer' }).int().default(50) }),
    },
    handle,
  );

/** The key `full` has every scope of these tests, `bare` none; any other is refused. */
function createFixture(overrides: Partial<HttpAppOptions<Caller>> = {}) {
  const lines = createRecorder<Record<string, unknown>>();
  const logger = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: (line) => lines.record(logLine.parse(JSON.parse(line))) },
  });
  const metrics = new Registry();
  const handled: EndpointRequest<Caller, unknown, unknown>[] = [];
  const limiter = createInMemoryRateLimiter(() => NOW);
  const keep = async (input: EndpointRequest<Caller, unknown, unknown>) => {
    handled.push(input);
    return { status: 200, json: { done: true } };
  };
  const app = createHttpApp<Caller>({
    endpoints: [writeThing(keep), readThing(keep)],
    authenticate: async ({ header }) => {
      const id = header('x-api-key');
      if (id === 'full') return { id, scopes: ['leads:write'] };
      if (id === 'bare') return { id, scopes: [] };
      if (id === 'down') throw new ServiceError('unavailable', 'nobody can tell', { retryAfterSeconds: 7 });
      throw new ServiceError('unauthenticated', 'x-api-key: must be a key');
    },
    challenge: 'ApiKey realm="things"',
    scopesOf: ({ scopes }) => scopes,
    keySurface: 'inbound',
    rateLimit: { limiter, keyOf: ({ id }) => id, limitOf: () => 5, countedAs: 'to the things API' },
    failedAuthentication: { limiter, limitPerMinute: 3 },
    companyOf: ({ id }) => id,
    logger,
    metrics,
    rpcTimeoutMs: 5_000,
    trustedProxyHops: 0,
    logFieldsOf: ({ id }) => ({ keyId: id }),
    companyClassOf: () => 'INSTALLER',
    ...overrides,
  });
  return { app, handled, lines, metrics };
}

const lead = { address: '1 Oak St' };

/** Checks what every error response has, and gives its body. */
function assertError(response: request.Response, status: number, code: string) {
  const body = errorBody.parse(response.body);
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.headers['x-request-id']).toBe(body.requestId);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-content-type-options']).toBe('nosniff');
  expect(response.headers['x-powered-by']).toBeUndefined();
  return body;
}

describe('an answer that is a stream', () => {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8' };

  test('goes on until it is ended, and is logged but not timed', async () => {
    const { app, lines, metrics } = createFixture({
      endpoints: [
        readThing(async () => ({
          status: 200,
          headers,
          stream(stream) {
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
      // Nothing is asked on its connection after it.
      connection: 'close',
    });
    expect(response.headers['content-length']).toBeUndefined();
    await lines.find(({ msg, status }) => msg === 'http.request_completed' && status === 200);
    expect(await metrics.metrics()).not.toContain('partner_http_request_duration_seconds_count{');
  });

  test('is over from the start when only its head is asked for', async () => {
    const over: boolean[] = [];
    const { app } = createFixture({
      endpoints: [
        readThing(async () => ({
          status: 200,
          headers,
          stream: (stream) => void over.push(stream.over.aborted),
        })),
      ],
    });
    const response = await request(app).head('/things/1').set('x-api-key', 'full');
    expect(response.status).toBe(200);
    expect(over).toEqual([true]);
  });
});

describe('every answer', () => {
  test('has the request id of the caller when it has the right form', async () => {
    const { app } = createFixture();
    const id = 'A-z.0_9:x'.padEnd(128, 'x');
    const response = await request(app).get('/things/1').set('x-api-key', 'full').set('x-request-id', id);
    expect(response.status).toBe(200);
    expect(response.headers['x-request-id']).toBe(id);
  });

  test.each(['', 'x'.repeat(129), 'a b', 'a/b', 'ä'])(
    'has a new request id in place of %j [HTTP-8]',
    async (id) => {
      const { app } = createFixture();
      const response = await request(app)
        .get('/things/1')
        .set('x-api-key', 'full')
        .set('x-request-id', Buffer.from(id, 'utf8').toString('latin1'));
      expect(response.headers['x-request-id']).toMatch(UUID_V7);
    },
  );

  test('is not to be stored unless the endpoint says otherwise, and carries several cookies', async () => {
    const { app } = createFixture({
      endpoints: [
        readThing(async () => ({
          status: 200,
          text: '[1]',
          headers: { 'cache-control': 'max-age=60', 'set-cookie': ['a=1', 'b=2'] },
        })),
      ],
    });
    const response = await request(app).get('/things/1').set('x-api-key', 'full');
    expect(response.text).toBe('[1]');
    expect(response.headers).toMatchObject({ 'cache-control': 'max-age=60', 'set-cookie': ['a=1', 'b=2'] });
  });

  test('to HEAD has the headers of GET and no body', async () => {
    const { app } = createFixture();
    const response = await request(app).head('/things/1').set('x-api-key', 'full');
    expect(response.status).toBe(200);
    expect(response.headers['content-length']).toBe('13');
    expect(response.text).toBeUndefined();
  });

  test('says the API version on a versioned surface, errors included [VERSION-1, VERSION-7]', async () => {
    const { app } = createFixture({ versions: oneVersion });
    const paths = [
      request(app).get('/things/1').set('x-api-key', 'full'),
      request(app).get('/things/1'),
      request(app).get('/'),
    ];
    for (const response of await Promise.all(paths)) {
      expect(response.headers['x-svc-api-version']).toBe('2026-08-26');
    }
    const unversioned = await request(createFixture().app).get('/');
    expect(unversioned.headers['x-svc-api-version']).toBeUndefined();
  });
});

describe('the order of checks', () => {
  test('begins with paths and methods: 404 and 405 need no credentials', async () => {
    const { app } = createFixture();
    const unknown = await request(app).get('/nothing');
    expect(assertError(unknown, 404, 'not_found').error).toBe('path: there is no such path');
    assertError(await request(app).get('/things/1/'), 404, 'not_found');
    assertError(await request(app).get('/Things/1'), 404, 'not_found');
    for (const send of [
      request(app).delete('/things/1'),
      request(app).options('/things/1'),
      request(app).trace('/things/1'),
    ]) {
      const response = await send;
      assertError(response, 405, 'method_not_allowed');
      expect(response.headers['allow']).toBe('GET, HEAD');
    }
    const wrong = await request(app).get('/things');
    assertError(wrong, 405, 'method_not_allowed');
    expect(wrong.headers['allow']).toBe('POST');
  });

  test('asks for credentials before it looks at anything else [HTTP-4]', async () => {
    const { app, handled } = createFixture();
    const response = await request(app).post('/things').set('content-type', 'text/plain').send('{');
    expect(assertError(response, 401, 'unauthenticated').error).toBe('x-api-key: must be a key');
    expect(response.headers['www-authenticate']).toBe('ApiKey realm="things"');
    expect(response.headers['ratelimit']).not.toContain('default');
    expect(handled).toHaveLength(0);
  });

  test('answers 503 when nobody can tell who the caller is', async () => {
    const { app } = createFixture();
    const response = await request(app).get('/things/1').set('x-api-key', 'down');
    assertError(response, 503, 'unavailable');
    expect(response.headers['retry-after']).toBe('7');
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

  test('never says that more requests fit only after the span of the limit [LIMIT-6]', async () => {
    const { app } = createFixture({
      playFaults: async (_principal, { answer, showExhausted }) => {
        showExhausted(3_600);
        return answer();
      },
    });
    const response = await request(app).get('/things/1').set('x-api-key', 'full');
    expect(response.headers['ratelimit']).toBe('"default";r=0;t=60');
  });

  test('lets the surface refuse after the scope and before the input', async () => {
    const { app } = createFixture({
      beforeEndpoint: ({ method, path }) => {
        throw new ServiceError('permission_denied', `${method} ${path}`);
      },
    });
    const response = await request(app).post('/things').set('x-api-key', 'full').send('{');
    expect(assertError(response, 403, 'permission_denied').error).toBe('POST /things');
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

  test('tells the authentication which client network is over its limit of failures [LIMIT-6]', async () => {
    const told: boolean[] = [];
    const { app } = createFixture({
      trustedProxyHops: 1,
      authenticate: async ({ isOverFailureLimit }) => {
        told.push(isOverFailureLimit);
        throw new ServiceError('unauthenticated', 'x-api-key: must be a key');
      },
    });
    const send = (address: string) => request(app).get('/things/1').set('x-forwarded-for', address);
    for (let failure = 0; failure < 4; failure += 1) await send('2001:db8::1');
    assertError(await send('2001:db8::2'), 429, 'rate_limited');
    assertError(await send('2001:db8:0:1::'), 401, 'unauthenticated');
    expect(told).toEqual([false, false, false, false, true, false]);
  });

  test('charges nothing to the client address when nobody can tell who the caller is', async () => {
    const { app } = createFixture();
    for (let turn = 0; turn < 4; turn += 1) {
      assertError(await request(app).get('/things/1').set('x-api-key', 'down'), 503, 'unavailable');
    }
    assertError(await request(app).get('/things/1').set('x-api-key', 'wrong'), 401, 'unauthenticated');
  });

  test('believes as many proxies as it is told about the client address', async () => {
    const { app } = createFixture({ trustedProxyHops: 1 });
    const send = (forwarded: string) =>
      request(app).get('/things/1').set('x-api-key', 'wrong').set('x-forwarded-for', forwarded);
    for (let failure = 0; failure < 3; failure += 1) await send(`10.0.0.${failure}, 203.0.113.1`);
    assertError(await send('10.0.0.9, 203.0.113.1'), 429, 'rate_limited');
    assertError(await send('203.0.113.1, 203.0.113.2'), 401, 'unauthenticated');
  });
});

describe('a request that breaks HTTP/1.1', () => {
  const post = (headers: string, version = '1.1') =>
    `POST /things HTTP/${version}\r\nx-api-key: full\r\nconnection: close\r\n${headers}\r\n\r\n`;
  const body = JSON.stringify({ address: '1 Oak St' });
  const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const json = 'host: a\r\ncontent-type: application/json\r\n';

  /** Sends bytes to an app and resolves to the head and the body of the response. */
  async function exchange(bytes: string) {
    const fixture = createFixture();
    const server = createHttpServer(fixture.app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const socket = connect(port, '127.0.0.1');
    socket.write(bytes);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    await closeServer(server);
    return { ...fixture, head, body };
  }

  test.each([
    ['no host', post('x: y'), 400, 'host: must be sent exactly once'],
    ['two hosts', post('host: a\r\nhost: b'), 400, 'host: must be sent exactly once'],
    ['two hosts in HTTP/1.0', post('host: a\r\nhost: a', '1.0'), 400, 'host: must be sent exactly once'],
    [
      'a host that is none',
      post('host: http://a/'),
      400,
      'host: must be a host name or address, with an optional port',
    ],
    [
      'another transfer coding',
      post(`${json}transfer-encoding: gzip, chunked`) + chunks,
      501,
      'transfer-encoding: must be chunked; other codings are not supported',
    ],
    [
      'chunks in HTTP/1.0',
      post(`${json}transfer-encoding: chunked`, '1.0') + chunks,
      400,
      'transfer-encoding: must be absent in HTTP/1.0',
    ],
    [
      'two content types',
      post(`${json}content-type: text/plain\r\ncontent-length: 2`) + '{}',
      400,
      'content-type: must be sent only once',
    ],
  ])(
    'with %s is refused with an error body and its request id [HTTP-6, HTTP-16]',
    async (_what, bytes, status, error) => {
      const { head, body, handled, lines } = await exchange(bytes);
      const answer = errorBody.parse(JSON.parse(body));
      expect(head).toContain(`HTTP/1.1 ${status} `);
      expect(head).toContain(`x-request-id: ${answer.requestId}`);
      expect(answer.error).toBe(error);
      expect(answer.code).toBe(status === 501 ? 'not_implemented' : 'invalid_argument');
      expect(handled).toHaveLength(0);
      expect(await lines.atLeast(1)).toMatchObject([{ status }]);
    },
  );

  test.each([
    ['HTTP/1.0 without a host', post('content-type: application/json\r\ncontent-length: 22', '1.0') + body],
    ['an empty host', post(`${json.replace('host: a', 'host:')}transfer-encoding: chunked`) + chunks],
    [
      'an address with a port',
      post(`${json.replace('host: a', 'host: [::1]:8080')}transfer-encoding: Chunked`) + chunks,
    ],
  ])('is not: %s [HTTP-6]', async (_what, bytes) => {
    expect((await exchange(bytes)).head).toContain('HTTP/1.1 200 ');
  });
});

describe('the input of an endpoint', () => {
  const post = (app: ReturnType<typeof createFixture>['app']) =>
    request(app).post('/things').set('x-api-key', 'full');

  test('reaches it once it is right, with everything that an RPC needs', async () => {
    const { app, handled } = createFixture();
    await post(app)
      .set('x-request-id', 'abc')
      .set('idempotency-key', 'key-1')
      .send('{"unknown":1,"address":"1 Oak St"}')
      .set('content-type', 'application/json; charset=UTF-8');
    await request(app).get('/things/a%2Fb?take=7&other=1').set('x-api-key', 'full');
    expect(handled[0]).toMatchObject({
      principal: { id: 'full' },
      body: { address: '1 Oak St' },
      idempotencyKey: 'key-1',
      operation: 'POST /things',
      bodySha256: createHash('sha256').update('{"address":"1 Oak St","unknown":1}').digest(),
      requestId: 'abc',
      call: { headers: { 'x-request-id': 'abc' } },
      remoteAddress: '127.0.0.1',
    });
    expect(handled[0]?.body).toEqual(lead);
    expect(handled[0]?.call.timeoutMs).toBeLessThanOrEqual(5_000);
    expect(handled[1]).toMatchObject({
      params: { id: 'a/b' },
      query: { take: 7 },
      operation: 'GET /things/a%2Fb',
    });
  });

  test.each<[string, string, string, string]>([
    ['malformed JSON', 'application/json', '{"address":', 'body: must be valid JSON in UTF-8'],
    ['JSON of another kind', 'application/json', '[]', 'body: must be an object, not an array'],
    ['an empty body', 'application/json', '', 'body: is required'],
    [
      'another content type',
      'text/plain',
      '{"address":"1 Oak St"}',
      'content-type: must be application/json in UTF-8',
    ],
    [
      'a form',
      'application/x-www-form-urlencoded',
      'address=1',
      'content-type: must be application/json in UTF-8',
    ],
    [
      'a charset other than UTF-8',
      'application/json; charset=utf-16',
      '{}',
      'content-type: must be application/json in UTF-8',
    ],
    ['a malformed content type', ';;', '{}', 'content-type: must be application/json in UTF-8'],
    ['a missing field', 'application/json', '{}', 'address: is required'],
    [
      'a field of another type',
      'application/json',
      '{"address":[]}',
      'address: must be a string, not an array',
    ],
    ['too short a text', 'application/json', '{"address":"x"}', 'address: must be at least 3 characters'],
    [
      'deep JSON',
      'application/json',
      `{"address":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
      'body: must not nest deeper than 64 levels',
    ],
    ['unclosed deep JSON', 'application/json', '['.repeat(1_000_000), 'body: must be valid JSON in UTF-8'],
  ])('that is %s is a 400 [ERROR-1]', async (_what, contentType, body, message) => {
    const { app, handled } = createFixture();
    const response = await post(app).set('content-type', contentType).send(body);
    const { error, details } = assertError(response, 400, 'invalid_argument');
    expect(error).toBe(message);
    expect(details?.[0]).toEqual({
      path: message.slice(0, message.indexOf(':')),
      message: message.slice(message.indexOf(':') + 2),
    });
    expect(handled).toHaveLength(0);
  });

  test('that has no content type is a 400', async () => {
    const { app } = createFixture();
    const response = await post(app).unset('content-type').send(Buffer.from('{}'));
    expect(assertError(response, 400, 'invalid_argument').error).toContain('content-type');
  });

  test('that is not UTF-8 is a 400', async () => {
    const { app } = createFixture();
    const sent = post(app).set('content-type', 'application/json');
    sent.write(Buffer.from('{"address":"\xe9\xe9\xe9"}', 'latin1'));
    const response = await sent;
    expect(assertError(response, 400, 'invalid_argument').error).toBe('body: must be valid JSON in UTF-8');
  });

  test('that is compressed is a 400', async () => {
    const { app } = createFixture();
    const response = await post(app)
      .set('content-type', 'application/json')
      .set('content-encoding', 'gzip')
      .send('{}');
    expect(assertError(response, 400, 'invalid_argument').error).toContain('content-encoding');
  });

  test('may be 1 MB and not one byte more, whether its length is announced or not [LIMIT-5]', async () => {
    const { app, handled } = createFixture();
    const json = (bytes: number) =>
      JSON.stringify({ ...lead, pad: 'x'.repeat(bytes - JSON.stringify({ ...lead, pad: '' }).length) });
    expect((await post(app).set('content-type', 'application/json').send(json(1_048_576))).status).toBe(200);
    const announced = await post(app).set('content-type', 'application/json').send(json(1_048_577));
    expect(assertError(announced, 413, 'payload_too_large').error).toBe(
      'body: must be at most 1048576 bytes',
    );
    const chunked = post(app).set('content-type', 'application/json').set('transfer-encoding', 'chunked');
    chunked.write(json(1_048_577));
    assertError(await chunked, 413, 'payload_too_large');
    expect(handled).toHaveLength(1);
  });

  test('that is announced as more than 1 MB is refused before any of it was sent', async () => {
    const server = createHttpServer(createFixture().app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'POST /things HTTP/1.1\r\nhost: a\r\nx-api-key: full\r\ncontent-type: application/json\r\ncontent-length: 1048577\r\n\r\n',
    );
    const answer: unknown[] = await once(socket, 'data');
    expect(String(answer[0])).toMatch(/^HTTP\/1.1 413 /);
    socket.destroy();
    await closeServer(server);
  });

  test('does not change any prototype', async () => {
    const { app, handled } = createFixture();
    await post(app)
      .set('content-type', 'application/json')
      .send('{"address":"1 Oak St","__proto__":{"admin":true},"constructor":{"prototype":{"admin":true}}}');
    await request(app).get('/things/1?__proto__[admin]=true&constructor=1').set('x-api-key', 'full');
    expect(handled).toHaveLength(2);
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
    expect(handled[0]?.body).toEqual(lead);
    expect(handled[0]?.body).not.toHaveProperty('admin');
  });

  test.each(['', 'a'.repeat(129), 'a b', 'a,b'])('with the Idempotency-Key %j is a 400', async (key) => {
    const { app } = createFixture();
    const { error } = assertError(
      await post(app).set('idempotency-key', key).send(lead),
      400,
      'invalid_argument',
    );
    expect(error).toMatch(/^Idempotency-Key: must be/);
  });

  test('without an Idempotency-Key is a 400 where one is required, and the message lists no other fault [HTTP-2, IDEM-1]', async () => {
    const { app } = createFixture({
      endpoints: [{ ...writeThing(async () => ({ status: 204 })), idempotencyKey: 'required' }],
    });
    const { error, details } = assertError(await post(app).send(lead), 400, 'invalid_argument');
    expect(error).toBe('Idempotency-Key: is required');
    expect(details).toHaveLength(1);
    expect((await post(app).set('idempotency-key', 'a'.repeat(128)).send(lead)).status).toBe(204);
  });

  test('lists all of its faults at once', async () => {
    const { app } = createFixture({ versions: oneVersion });
    const response = await post(app)
      .set('x-svc-api-version', '2025-01-01')
      .set('idempotency-key', '?')
      .send({});
    expect(assertError(response, 400, 'invalid_argument').details?.map(({ path }) => path)).toEqual([
      'x-svc-api-version',
      'Idempotency-Key',
      'address',
    ]);
  });

  test('may pin the current API version and no other', async () => {
    const { app } = createFixture({ versions: oneVersion });
    const pinned = (version: string) =>
      request(app).get('/things/1').set('x-api-key', 'full').set('x-svc-api-version', version);
    expect((await pinned('2026-08-26')).status).toBe(200);
    const { error } = assertError(await pinned('2026-08-27'), 400, 'invalid_argument');
    expect(error).toBe('x-svc-api-version: must be 2026-08-26');
  });

  test.each(['/things/1?take=x', '/things/1?take=1&take=2'])(
    'in the query %s is a 400 that names the parameter',
    async (path) => {
      const { app } = createFixture();
      const { error } = assertError(
        await request(app).get(path).set('x-api-key', 'full'),
        400,
        'invalid_argument',
      );
      expect(error).toBe('take: must be an integer');
    },
  );

  test.each(['http://[', 'http://[/things/1', 'http://[::1/things/1'])(
    'in the target %s, in which no path can be found, is a 400',
    async (target) => {
      const { app, lines } = createFixture({ versions: oneVersion });
      const server = createHttpServer(app);
      const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\nx-request-id: abc\r\nconnection: close\r\n\r\n`);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 400 /);
      expect(head.toLowerCase().split('\r\n')).toEqual(
        expect.arrayContaining([
          'x-request-id: abc',
          'x-svc-api-version: 2026-08-26',
          'content-type: application/json; charset=utf-8',
          'cache-control: no-store',
          'x-content-type-options: nosniff',
        ]),
      );
      expect(errorBody.parse(JSON.parse(body))).toEqual({
        error: 'path: must be readable from the request target',
        code: 'invalid_argument',
        requestId: 'abc',
        details: [{ path: 'path', message: 'must be readable from the request target' }],
      });
      expect(await lines.atLeast(1)).toMatchObject([{ route: 'unmatched', status: 400 }]);
      await closeServer(server);
    },
  );

  test.each(['*', '//[/things/1', 'http://%zz/things/1'])(
    'in the target %s gets a 404 without a page of the framework [HTTP-16]',
    async (target) => {
      const server = createHttpServer(createFixture().app);
      const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`);
      const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
      expect(head).toMatch(/^HTTP\/1.1 404 /);
      const { requestId } = errorBody.parse(JSON.parse(body));
      expect(head).toContain(`x-request-id: ${requestId}`);
      await closeServer(server);
    },
  );

  test('may be sent to an absolute target', async () => {
    const server = createHttpServer(createFixture().app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const socket = connect(port, '127.0.0.1');
    socket.write(
      'GET http://partner.example/things/1 HTTP/1.1\r\nhost: a\r\nx-api-key: full\r\nconnection: close\r\n\r\n',
    );
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 /);
    await closeServer(server);
  });

  test('in a path that is no UTF-8 is a 400, and one with U+0000 is nowhere', async () => {
    const { app } = createFixture();
    for (const path of ['/things/%zz', '/things/%ff']) {
      const { error } = assertError(
        await request(app).get(path).set('x-api-key', 'full'),
        400,
        'invalid_argument',
      );
      expect(error).toBe('path: must be percent-encoded UTF-8');
    }
    assertError(await request(app).get('/things/a%00b').set('x-api-key', 'full'), 404, 'not_found');
  });
});

describe('the content coding', () => {
  const LONG = JSON.stringify({ text: 'a'.repeat(1_024) });
  const coded = async (
    answer: EndpointResponse,
    headers: Readonly<Record<string, string>>,
    method: 'get' | 'head' | 'post' = 'get',
  ) => {
    const { app } = createFixture({
      endpoints: [{ ...readThing(async () => answer), conditional: true }, writeThing(async () => answer)],
    });
    const path = method === 'post' ? '/things' : '/things/1';
    const sent = request(app)[method](path).set('x-api-key', 'full').set(headers);
    return method === 'post' ? sent.send(lead) : sent;
  };

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ])(
    'of a long response to accept-encoding %s is %s, with the same tag and length for HEAD [HTTP-9]',
    async (accepted, coding) => {
      const tags = new Set<string | undefined>();
      for (const answer of [
        { status: 200, json: { text: 'a'.repeat(1_024) } },
        { status: 200, text: LONG },
      ]) {
        const get = await coded(answer, { 'accept-encoding': accepted });
        const head = await coded(answer, { 'accept-encoding': accepted }, 'head');
        expect(get.text).toBe(LONG);
        for (const { headers } of [get, head]) {
          expect(headers['content-encoding']).toBe(coding);
          expect(headers).toMatchObject({
            vary: 'accept-encoding',
            'content-type': 'application/json; charset=utf-8',
          });
          tags.add(headers['etag']);
        }
        const length = Number(get.headers['content-length']);
        expect(length < 100).toBe(coding !== undefined);
        expect(head.headers['content-length']).toBe(get.headers['content-length']);
        const known = await coded(answer, { 'accept-encoding': accepted, 'if-none-match': [...tags].join() });
        expect([known.status, known.headers['vary']]).toEqual([304, 'accept-encoding']);
      }
      expect(tags.size).toBe(1);
    },
  );

  test('of a response that was compressed beforehand is one of those', async () => {
    const gzipped = gzipSync('"beforehand"');
    const answer = {
      status: 200,
      text: LONG,
      compressed: new Map<ContentCoding, Uint8Array>([['gzip', gzipped]]),
    };
    const response = await coded(answer, { 'accept-encoding': 'br, gzip' });
    expect([response.headers['content-encoding'], response.text]).toEqual(['gzip', '"beforehand"']);
  });

  test('is none for a short response, an error, a response to a write, which may show a secret, and a stream [HTTP-9]', async () => {
    const headers = { 'accept-encoding': 'br, gzip' };
    const stream = (body: ResponseStream) => body.end();
    const short = JSON.stringify({ text: 'a'.repeat(1_000) });
    for (const response of [
      await coded({ status: 200, text: short }, headers),
      await coded({ status: 404, text: LONG }, headers),
      await coded({ status: 200, text: LONG }, headers, 'post'),
      await coded({ status: 200, stream }, headers),
    ]) {
      expect(response.headers).not.toHaveProperty('content-encoding');
    }
  });
});

describe('an endpoint whose operation is conditional', () => {
  const conditional = (answer: EndpointResponse, overrides: Partial<HttpAppOptions<Caller>> = {}) =>
    createFixture({
      versions: oneVersion,
      endpoints: [{ ...readThing(async () => answer), conditional: true }],
      ...overrides,
    }).app;
  const get = (app: RequestListener) => request(app).get('/things/1').set('x-api-key', 'full');
  const tagOf = async (app: RequestListener) => z.string().parse((await get(app)).headers['etag']);

  test('answers with a weak tag that stands for the body, however the endpoint gives it', async () => {
    const one = await tagOf(conditional({ status: 200, text: '{"n":1}' }));
    expect(one).toMatch(/^W\/"[\w-]+"$/);
    expect(await tagOf(conditional({ status: 200, json: { n: 1 } }))).toBe(one);
    expect(await tagOf(conditional({ status: 200, json: { n: 2 } }))).not.toBe(one);
  });

  test('answers 304 without a body to whoever has the body already, and the limit counts it', async () => {
    const app = conditional({ status: 200, text: '{"n":1}' });
    const tag = await tagOf(app);
    const response = await get(app).set('if-none-match', `"other", ${tag}`).set('x-request-id', 'abc');
    expect([response.status, response.text]).toEqual([304, '']);
    expect(response.headers).toMatchObject({
      etag: tag,
      'x-request-id': 'abc',
      'x-svc-api-version': '2026-08-26',
      'ratelimit-policy': '"default";q=5;w=60',
      ratelimit: '"default";r=3;t=60',
      'cache-control': 'private, no-cache',
    });
    expect(response.headers).not.toHaveProperty('content-type');
    expect(response.headers).not.toHaveProperty('content-length');
  });

  test('may be kept by private caches, which ask again each time, unless the endpoint says otherwise [HTTP-10]', async () => {
    const cacheControlOf = async (headers: Readonly<Record<string, string>>) =>
      (await get(conditional({ status: 200, text: '{}', headers }))).headers['cache-control'];
    expect(await cacheControlOf({})).toBe('private, no-cache');
    expect(await cacheControlOf({ 'cache-control': 'public, no-cache' })).toBe('public, no-cache');
    expect((await get(createFixture().app)).headers['cache-control']).toBe('no-store');
  });

  test('answers HEAD as GET, with the tag or with 304', async () => {
    const app = conditional({ status: 200, text: '{"n":1}' });
    const tag = await tagOf(app);
    const head = () => request(app).head('/things/1').set('x-api-key', 'full');
    const fresh = await head();
    expect(fresh.status).toBe(200);
    expect(fresh.headers).toMatchObject({ etag: tag, 'content-length': '7' });
    const known = await head().set('if-none-match', tag);
    expect([known.status, known.headers['etag']]).toEqual([304, tag]);
  });

  test('answers in full when the tag is another, or the header is no list of tags', async () => {
    const app = conditional({ status: 200, text: '{"n":1}' });
    const tag = await tagOf(app);
    for (const header of ['"other"', `nonsense ${tag}`]) {
      const response = await get(app).set('if-none-match', header);
      expect([response.status, response.text]).toEqual([200, '{"n":1}']);
    }
  });

  test('keeps its failures and its other answers, whatever the caller has', async () => {
    const failing = createFixture({
      endpoints: [
        {
          ...readThing(async () => {
            throw notFound('thing');
          }),
          conditional: true,
        },
      ],
    }).app;
    const response = await get(failing).set('if-none-match', '*');
    assertError(response, 404, 'not_found');
    expect(response.headers).not.toHaveProperty('etag');
    const accepted = await get(conditional({ status: 202, json: {} })).set('if-none-match', '*');
    expect([accepted.status, accepted.headers['etag']]).toEqual([202, undefined]);
  });

  test('is the only one that looks at If-None-Match', async () => {
    const response = await get(createFixture().app).set('if-none-match', '*');
    expect([response.status, response.headers['etag']]).toEqual([200, undefined]);
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

  test('gets the status and the fields of its reason [ERROR-11]', async () => {
    const stale = await failWith(new ServiceError('stale_version', 'read again', { currentVersion: 4 }))
      .response;
    expect(assertError(stale, 409, 'stale_version').currentVersion).toBe(4);
    const moved = await failWith(
      new ServiceError('transition_not_allowed', 'no', { currentStatus: 'COMPLETE', allowed: [] }),
    ).response;
    expect(assertError(moved, 422, 'transition_not_allowed')).toMatchObject({
      currentStatus: 'COMPLETE',
      allowed: [],
    });
    assertError(await failWith(notFound('job')).response, 404, 'not_found');
  });

  test('says whether it is a repeated outcome and until when it can be repeated', async () => {
    const idempotency = { replayed: true, expiresAt: new Date('2026-10-16T12:00:00Z') };
    const { headers } = await failWith(new ServiceError('stale_version', 'read again', { idempotency }))
      .response;
    expect(headers).toMatchObject({
      'idempotency-replayed': 'true',
      'idempotency-expires': '2026-10-16T12:00:00.000Z',
    });
  });

  test('says when to come back when it is unavailable [ERROR-10, HTTP-18]', async () => {
    const response = await failWith(new ServiceError('unavailable', 'later')).response;
    assertError(response, 503, 'unavailable');
    expect(response.headers['retry-after']).toBe('1');
  });

  test.each([new Error('SELECT secret FROM keys'), 'a text', undefined, null])(
    'that is unforeseen (%p) is a 500 that says nothing of it, and is logged [ERROR-10, HTTP-16]',
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
    // The one whose caller is known; nothing else of the caller is in a label.
    expect(text.match(/partner_http_company_class_request_duration_seconds_count\{.*/g)).toEqual([
      'partner_http_company_class_request_duration_seconds_count{company_class="installer",status_class="2xx"} 1',
    ]);
  });

  test('of a versioned surface is logged with the version that answers it', async () => {
    const { app, lines } = createFixture({ versions: oneVersion });
    await request(app).get('/nothing').set('x-svc-api-version', '2025-01-01');
    expect(await lines.atLeast(1)).toMatchObject([{ status: 404, apiVersion: '2026-08-26' }]);
  });

  test('tells its RPCs when the client has gone', async () => {
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

describe('an endpoint that makes the credentials itself', () => {
  test('is reached without them, and without a rate limit', async () => {
    const { app } = createFixture({
      endpoints: [
        { ...writeThing(async ({ body }) => ({ status: 201, json: body })), unauthenticated: true },
      ],
    });
    const response = await request(app).post('/things').send(lead);
    expect(response.status).toBe(201);
    expect(response.headers['ratelimit']).toBeUndefined();
    expect(response.body).toEqual(lead);
  });
});

describe('requests in flight', () => {
  test('of a company at ten times its share are held or refused, and those of another are served [LIMIT-7]', async () => {
    const held = createRecorder<() => void>();
    const { app } = createFixture({
      endpoints: [
        readThing(async ({ principal }: EndpointRequest<Caller, unknown, unknown>) => {
          if (principal.id === 'hostile') await new Promise<void>((resolve) => held.record(resolve));
          return { status: 200, json: { done: true } };
        }),
      ],
      authenticate: async ({ header }) => ({ id: header('x-api-key') ?? '', scopes: [] }),
      rateLimit: {
        limiter: createInMemoryRateLimiter(() => NOW),
        keyOf: ({ id }) => id,
        limitOf: () => 1_000,
        countedAs: 'to the things API',
      },
      rpcTimeoutMs: 600_000,
    });
    const server = createHttpServer(app);
    const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
    const get = (key: string) =>
      fetch(`http://127.0.0.1:${port}/things/1`, { headers: { 'x-api-key': key } });
    const refused = createRecorder<Response>();
    const hostile = Array.from({ length: 500 }, async () => {
      const response = await get('hostile');
      if (response.status !== 200) refused.record(response);
      return response.status;
    });
    await held.atLeast(50);
    const [first] = await refused.atLeast(300);
    expect([first?.status, first?.headers.get('retry-after')]).toEqual([503, '1']);
    expect(
      (await Promise.all(Array.from({ length: 50 }, () => get('other')))).map(({ status }) => status),
    ).toEqual(Array.from({ length: 50 }, () => 200));
    // Each release lets the next one of the queue in.
    for (let released = 0; released < 200; released += 1) (await held.atLeast(released + 1))[released]?.();
    const statuses = await Promise.all(hostile);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200);
    await closeServer(server);
  });
});
