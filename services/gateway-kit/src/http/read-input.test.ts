import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import request from 'supertest';
import { z } from 'zod';
import { misspelledNames } from './read-input.js';
import {
  assertError,
  createFixture,
  exchange,
  lead,
  oneVersion,
  writeThing,
} from '../testing/http-app-fixture.js';

const post = (app: ReturnType<typeof createFixture>['app']) =>
  request(app).post('/things').set('x-api-key', 'full');
const invalid = (response: request.Response) => assertError(response, 400, 'invalid_argument');
const notJson = 'content-type: must be application/json in UTF-8';

describe('the input of an endpoint', () => {
  test('reaches it once it is valid, with everything that an RPC needs', async () => {
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
    ['a JSON array', 'application/json', '[]', 'body: must be an object, not an array'],
    ['an empty body', 'application/json', '', 'body: is required'],
    ['another content type', 'text/plain', '{"address":"1 Oak St"}', notJson],
    ['a form', 'application/x-www-form-urlencoded', 'address=1', notJson],
    ['a charset other than UTF-8', 'application/json; charset=utf-16', '{}', notJson],
    ['a malformed content type', ';;', '{}', notJson],
    ['a missing field', 'application/json', '{}', 'address: is required'],
  ])('that is %s is a 400 [ERROR-1]', async (_what, contentType, body, message) => {
    const { app, handled } = createFixture();
    const response = await post(app).set('content-type', contentType).send(body);
    const { error, details } = invalid(response);
    expect(error).toBe(message);
    expect(details?.[0]).toEqual({
      path: message.slice(0, message.indexOf(':')),
      message: message.slice(message.indexOf(':') + 2),
    });
    expect(handled).toHaveLength(0);
  });

  test.each([
    ['deep', '['.repeat(100_000) + ']'.repeat(100_000), 'body: must not nest deeper than 64 levels'],
    ['deep and unclosed', '['.repeat(1_000_000), 'body: must not nest deeper than 64 levels'],
    ['dense', `[${'{},'.repeat(300_000)}{}]`, 'body: must have at most 20000 JSON tokens'],
  ])('that is %s JSON is a 400 with a separate code [HTTP-21]', async (_what, body, message) => {
    const { app, handled } = createFixture();
    const response = await post(app).set('content-type', 'application/json').send(body);
    expect(assertError(response, 400, 'body_too_complex').error).toBe(message);
    expect(handled).toHaveLength(0);
  });

  test('that is compressed or not UTF-8 is a 400', async () => {
    const { app } = createFixture();
    const json = () => post(app).set('content-type', 'application/json');
    const latin1 = json();
    latin1.write(Buffer.from('{"address":"\xe9\xe9\xe9"}', 'latin1'));
    expect(invalid(await latin1).error).toBe('body: must be valid JSON in UTF-8');
    const compressed = await json().set('content-encoding', 'gzip').send('{}');
    expect(invalid(compressed).error).toContain('content-encoding');
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
    const { error } = invalid(await post(app).set('idempotency-key', key).send(lead));
    expect(error).toMatch(/^Idempotency-Key: must be/);
  });

  test('without an Idempotency-Key is a 400 where one is required, with no other violation [HTTP-2, IDEM-1]', async () => {
    const { app } = createFixture({
      endpoints: [{ ...writeThing(async () => ({ status: 204 })), idempotencyKey: 'required' }],
    });
    const { error, details } = invalid(await post(app).send(lead));
    expect(error).toBe('Idempotency-Key: is required');
    expect(details).toHaveLength(1);
    expect((await post(app).set('idempotency-key', 'a'.repeat(128)).send(lead)).status).toBe(204);
  });

  test('lists all violations at once', async () => {
    const { app } = createFixture({ versions: oneVersion });
    const response = await post(app)
      .set('x-svc-api-version', '2025-01-01')
      .set('idempotency-key', '?')
      .send({});
    expect(invalid(response).details?.map(({ path }) => path)).toEqual([
      'x-svc-api-version',
      'Idempotency-Key',
      'address',
    ]);
  });
});

describe('input outside the body', () => {
  test.each(['/things/1?take=x', '/things/1?take=1&take=2'])(
    'in the query %s is a 400 that names the parameter',
    async (path) => {
      const { app } = createFixture();
      const { error } = invalid(await request(app).get(path).set('x-api-key', 'full'));
      expect(error).toBe('take: must be an integer');
    },
  );

  test.each([
    ...['http://[', 'http://[/things/1', 'http://[::1/things/1'].map((target) => [target, 400] as const),
    ...['*', '//[/things/1', 'http://%zz/things/1'].map((target) => [target, 404] as const),
    ['http://partner.example/things/1', 200] as const,
  ])(
    'in the target %s has the status %i, without a page of the framework [HTTP-16]',
    async (target, status) => {
      const { head, body, lines } = await exchange(
        `GET ${target} HTTP/1.1\r\nhost: a\r\nx-api-key: full\r\nx-request-id: abc\r\nconnection: close\r\n\r\n`,
        { versions: oneVersion },
      );
      expect(head).toContain(`HTTP/1.1 ${status} `);
      for (const header of ['x-request-id: abc', 'x-svc-api-version: 2026-08-26', 'cache-control: no-store'])
        expect(head.toLowerCase()).toContain(header);
      if (status !== 200) expect(errorBody.parse(JSON.parse(body)).requestId).toBe('abc');
      if (status === 400) expect(body).toContain('path: must be present in the request target');
      expect(await lines.atLeast(1)).toMatchObject([{ status }]);
    },
  );

  test('in a path that is not UTF-8 is a 400, and one with U+0000 is a 404', async () => {
    const { app } = createFixture();
    for (const path of ['/things/%zz', '/things/%ff']) {
      const { error } = invalid(await request(app).get(path).set('x-api-key', 'full'));
      expect(error).toBe('path: must be percent-encoded UTF-8');
    }
    assertError(await request(app).get('/things/a%00b').set('x-api-key', 'full'), 404, 'not_found');
  });
});

const query = z.object({ limit: z.string(), resourceId: z.string() }).superRefine(() => undefined);

test.each([
  ['Limit', 'limit'],
  ['LIMIT', 'limit'],
  ['limit[]', 'limit'],
  ['limit[0]', 'limit'],
  ['limit[gte]', 'limit'],
  ['limit[', 'limit'],
  ['Limit[]', 'limit'],
  ['resourceid', 'resourceId'],
])('the query parameter %s is refused with the hint %s [HTTP-13]', (name, meant) => {
  expect(misspelledNames(query, { [name]: '1', limit: '2' })).toEqual([
    { path: name, message: `must be written ${meant}` },
  ]);
});

test.each(['limit', 'resourceId', 'page', 'limits', '[limit]', 'resource_id', '__proto__', ''])(
  'the query parameter "%s" is not a misspelling [HTTP-13]',
  (name) => {
    expect(misspelledNames(query, Object.fromEntries([[name, '1']]))).toEqual([]);
  },
);

test('an operation without a query has no misspelled names', () => {
  expect(misspelledNames(undefined, { Limit: '1' })).toEqual([]);
});
