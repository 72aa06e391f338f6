import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { afterEach, describe, expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { checkResponses } from '@partner/test-kit/check-responses';
import { createInMemoryRateLimiter } from '@partner/gateway-kit/testing/in-memory-rate-limiter';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { Counter, Registry } from 'prom-client';
import supertest from 'supertest';
import { consoleEndpoints, createConsoleApp } from './app.js';
import { createProviderCookie, createSessionCookie } from './sessions/cookies.js';
import { FAKE_WEB_APP } from './testing/fake-web-app.js';

const checked = checkResponses(afterEach);
const uncalled = (): never => {
  throw new Error('no call is made without a session');
};
const PUBLIC_BASE_URL = 'https://partner.example';
const parts = {
  operations: inProcessOperations({ implementations: [], callers: [] }),
  cursorSigner: createCursorSigner([Buffer.alloc(32, 1)]),
  sessions: {
    create: uncalled,
    find: uncalled,
    peek: uncalled,
    list: uncalled,
    end: uncalled,
    endOwn: uncalled,
    confirm: uncalled,
    claimOwnerCheck: uncalled,
    returnOwnerCheck: uncalled,
  },
  changeStreams: { open: uncalled, changed: uncalled, lookAgain: uncalled, close: uncalled },
  limiter: createInMemoryRateLimiter(() => new Date('2026-09-01T12:00:00Z')),
  attempts: {
    beginFromNetwork: uncalled,
    beginKnown: uncalled,
    beginUnknown: uncalled,
    countLinkOf: uncalled,
    countEmail: uncalled,
  },
  deviceCookie: { read: () => undefined, set: uncalled },
  verifyPassword: uncalled,
  hashPassword: uncalled,
  background: { start: uncalled, settled: uncalled },
  providerRequests: { begin: uncalled, take: uncalled, putBack: uncalled },
  rpcTimeoutMs: 5_000,
  logger: silentLogger,
  clock: () => new Date('2026-09-01T12:00:00Z'),
};

const IN_PRODUCTION = CONSOLE_OPERATIONS.filter(({ sandboxOnly }) => sandboxOnly !== true);
const SANDBOX_ONLY = CONSOLE_OPERATIONS.filter(({ sandboxOnly }) => sandboxOnly === true);

describe.each([
  { environment: 'sandbox', operations: CONSOLE_OPERATIONS },
  { environment: 'production', operations: IN_PRODUCTION },
])('the console in the $environment', ({ environment, operations }) => {
  const isSandbox = environment === 'sandbox';
  const createApp = () =>
    checked(
      createConsoleApp({
        ...parts,
        isSandbox,
        webApp: FAKE_WEB_APP,
        publicBaseUrl: PUBLIC_BASE_URL,
        metrics: new Registry(),
        trustedProxyHops: 0,
      }),
    );

  test('serves exactly the operations that are described', () => {
    const endpoints = consoleEndpoints({
      ...parts,
      isSandbox,
      publicBaseUrl: PUBLIC_BASE_URL,
      cookie: createSessionCookie(PUBLIC_BASE_URL),
      providerCookie: createProviderCookie(PUBLIC_BASE_URL),
      trail: { record: uncalled, note: uncalled },
      logins: new Counter({ name: 'logins', help: 'logins', labelNames: ['outcome'], registers: [] }),
    });

    const named = (list: readonly { id: string; method: string; path: string }[]) =>
      list.map(({ id, method, path }) => `${id} ${method} ${path}`).sort();
    expect(named(endpoints)).toEqual(named(operations));
  });

  test('requires a session for each operation, and has no other method or path', async () => {
    await expect(probeSurface(createApp(), operations)).resolves.toEqual([]);
  });
});

test('sandbox-only operations have no path in production [SANDBOX-3]', async () => {
  const app = createConsoleApp({
    ...parts,
    isSandbox: false,
    webApp: FAKE_WEB_APP,
    publicBaseUrl: PUBLIC_BASE_URL,
    metrics: new Registry(),
    trustedProxyHops: 0,
  });
  expect(SANDBOX_ONLY).toHaveLength(3);
  for (const { method, path } of SANDBOX_ONLY) {
    const response = await supertest(app)[method](path.replace(':id', newId('key')));
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ error: 'path: there is no such path' });
  }
});
