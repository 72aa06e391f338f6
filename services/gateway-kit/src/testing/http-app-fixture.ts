import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from '@jest/globals';
import { createHttpServer } from '@partner/kernel/process/http-server';
import { closeServer, listen } from '@partner/kernel/process/listen';
import { createLoggerTo } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import { errorBody } from '@partner/proto-contracts/api/error-body';
import type { Scope } from '@partner/proto-contracts/api/scopes';
import { createRecorder } from '@partner/test-kit/recorder';
import { Registry } from 'prom-client';
import type request from 'supertest';
import { z } from 'zod';
import { createInMemoryRateLimiter } from './in-memory-rate-limiter.js';
import { createApiVersions } from '../versions/api-versions.js';
import { type AnyEndpoint, type EndpointRequest, serveOperation } from '../http/endpoint.js';
import { createHttpApp, type HttpAppOptions } from '../http/http-app.js';

export interface Caller {
  readonly id: string;
  readonly scopes: readonly Scope[];
}

const bodySchema = z.object({ address: z.string().min(3) });
const logLine = z.record(z.string(), z.unknown());
export const NOW = new Date('2026-09-01T12:00:00.000Z');
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export const oneVersion = createApiVersions(
  [{ date: '2026-08-26', announced: '2026-08-26' }],
  () => new Date('2026-09-01T12:00:00Z'),
);

export const writeThing = (handle: AnyEndpoint<Caller>['handle']) =>
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
export const readThing = (handle: AnyEndpoint<Caller>['handle']) =>
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
export function createFixture(overrides: Partial<HttpAppOptions<Caller>> = {}) {
  const lines = createRecorder<Record<string, unknown>>();
  const logger = createLoggerTo(
    { write: (line) => lines.record(logLine.parse(JSON.parse(line))) },
    { service: 'test', level: 'info' },
  );
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
      if (id === 'down')
        throw new ServiceError('unavailable', 'the keys cannot be checked', { retryAfterSeconds: 7 });
      throw new ServiceError('unauthenticated', 'x-api-key: must be a key');
    },
    challenge: 'ApiKey realm="things"',
    scopesOf: ({ scopes }) => scopes,
    keySurface: 'inbound',
    rateLimit: { limiter, keyOf: ({ id }) => id, limitOf: () => 5, countedAs: 'to the things API' },
    failedAuthentication: { limiter, limitPerMinute: 3 },
    withoutCredentials: {
      limiter,
      limitPerMinute: 4,
      knownClientOf: ({ header }) => header('x-device'),
    },
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

export const lead = { address: '1 Oak St' };

/** Asserts the common parts of an error response and returns its body. */
export function assertError(response: request.Response, status: number, code: string) {
  const body = errorBody.parse(response.body);
  expect({ status: response.status, code: body.code }).toEqual({ status, code });
  expect(response.headers['x-request-id']).toBe(body.requestId);
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(response.headers['cache-control']).toBe('no-store');
  expect(response.headers['x-content-type-options']).toBe('nosniff');
  expect(response.headers['x-powered-by']).toBeUndefined();
  return body;
}

/** Sends bytes over a new connection to an app and resolves to the head and the body of the response. */
export async function exchange(bytes: string, overrides: Partial<HttpAppOptions<Caller>> = {}) {
  const fixture = createFixture(overrides);
  const server = createHttpServer(fixture.app);
  const port = await listen(server, { host: '127.0.0.1', port: 0, variable: 'HTTP_PORT' });
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  await closeServer(server);
  return { ...fixture, head, body };
}
