import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { notFound } from '@partner/kernel/process/service-error';
import request from 'supertest';
import { z } from 'zod';
import type { ContentCoding, EndpointResponse } from './endpoint.js';
import type { HttpAppOptions } from './http-app.js';
import type { ResponseStream } from './response-stream.js';
import {
  assertError,
  type Caller,
  createFixture,
  lead,
  oneVersion,
  readThing,
  writeThing,
} from '../testing/http-app-fixture.js';

describe('the content coding', () => {
  const LONG = JSON.stringify({ text: 'a'.repeat(1_024) });
  const coded = async (
    content: EndpointResponse,
    headers: Readonly<Record<string, string>>,
    method: 'get' | 'head' | 'post' = 'get',
  ) => {
    const { app } = createFixture({
      endpoints: [{ ...readThing(async () => content), conditional: true }, writeThing(async () => content)],
    });
    const path = method === 'post' ? '/things' : '/things/1';
    const sent = request(app)[method](path).set('x-api-key', 'full').set(headers);
    return method === 'post' ? sent.send(lead) : sent;
  };

  test.each([
    ['gzip, deflate, br', 'br'],
    ['GZIP;q=0.8', 'gzip'],
    ['br;q=0, *;q=0.5', 'gzip'],
    ['identity', undefined],
  ])(
    'of a long response to accept-encoding %s is %s, with the same tag and length for HEAD [HTTP-9]',
    async (accepted, coding) => {
      const tags = new Set<string | undefined>();
      for (const content of [
        { status: 200, json: { text: 'a'.repeat(1_024) } },
        { status: 200, text: LONG },
      ]) {
        const get = await coded(content, { 'accept-encoding': accepted });
        const head = await coded(content, { 'accept-encoding': accepted }, 'head');
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
        const known = await coded(content, {
          'accept-encoding': accepted,
          'if-none-match': [...tags].join(),
        });
        expect([known.status, known.headers['vary']]).toEqual([304, 'accept-encoding']);
      }
      expect(tags.size).toBe(1);
    },
  );

  test('of a precompressed response is one of its codings', async () => {
    const gzipped = gzipSync('"beforehand"');
    const content = {
      status: 200,
      text: LONG,
      compressed: new Map<ContentCoding, Uint8Array>([['gzip', gzipped]]),
    };
    const response = await coded(content, { 'accept-encoding': 'br, gzip' });
    expect([response.headers['content-encoding'], response.text]).toEqual(['gzip', '"beforehand"']);
  });

  test('is not used for short responses, errors, responses to writes and streams [HTTP-9]', async () => {
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
  const conditional = (content: EndpointResponse, overrides: Partial<HttpAppOptions<Caller>> = {}) =>
    createFixture({
      versions: oneVersion,
      endpoints: [{ ...readThing(async () => content), conditional: true }],
      ...overrides,
    }).app;
  const get = (app: RequestListener) => request(app).get('/things/1').set('x-api-key', 'full');
  const tagOf = async (app: RequestListener) => z.string().parse((await get(app)).headers['etag']);

  test('responds with 304 and no body to a client that has the body already, and the limit counts it', async () => {
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

  test('may be stored by private caches, which revalidate, unless the endpoint says otherwise [HTTP-10]', async () => {
    const cacheControlOf = async (headers: Readonly<Record<string, string>>) =>
      (await get(conditional({ status: 200, text: '{}', headers }))).headers['cache-control'];
    expect(await cacheControlOf({})).toBe('private, no-cache');
    expect(await cacheControlOf({ 'cache-control': 'public, no-cache' })).toBe('public, no-cache');
    expect((await get(createFixture().app)).headers['cache-control']).toBe('no-store');
  });

  test('alone reads If-None-Match, and sends errors and other statuses without a tag', async () => {
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
    const other = await get(createFixture().app).set('if-none-match', '*');
    expect([other.status, other.headers['etag']]).toEqual([200, undefined]);
  });
});
