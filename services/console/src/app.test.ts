import { createCursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import { afterEach, expect, test } from '@jest/globals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import { newId } from '@partner/kernel/process/ids';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { checkResponses } from '@partner/test-kit/check-responses';
import { createInMemoryRateLimiter } from '@partner/gateway-kit/testing/in-memory-rate-limiter';
import { inProcessOperations } from '@partner/kernel/testing/in-process-operations';
import { createManualTimers } from '@partner/kernel/testing/manual-timers';
import { probeSurface } from '@partner/test-kit/probe-surface';
import { Registry } from 'prom-client';
import supertest from 'supertest';
import { createConsoleApps } from './automation-app.js';
import { createConsoleDeps } from './console-deps.js';
import { FAKE_WEB_BUNDLE } from './testing/fake-web-app.js';

const checked = checkResponses(afterEach);
const uncalled = (): never => {
  throw new Error('Redis is not called without a session');
};
const clock = () => new Date('2026-09-01T12:00:00Z');

async function createApp(environment: 'sandbox' | 'production') {
  const deps = await createConsoleDeps({
    operations: inProcessOperations({ implementations: [], callers: [] }),
    environment,
    sessionRedis: { eval: uncalled, hmget: uncalled, zrem: uncalled },
    keyPrefix: '',
    sessionKeys: { keys: new Map([['test', Buffer.alloc(32, 1)]]) },
    cursorSigner: createCursorSigner([Buffer.alloc(32, 1)]),
    limiter: createInMemoryRateLimiter(clock),
    webBundle: FAKE_WEB_BUNDLE,
    mailer: undefined,
    provider: undefined,
    publicBaseUrl: 'https://partner.example',
    logger: silentLogger,
    metrics: new Registry(),
    clock,
    after: createManualTimers().after,
    rpcTimeoutMs: 60_000,
    egressAddresses: [],
    trustedProxyHops: 0,
  });
  return checked(createConsoleApps(deps));
}

const SANDBOX_ONLY = CONSOLE_OPERATIONS.filter(({ sandboxOnly }) => sandboxOnly === true);

test.each([
  ['sandbox', CONSOLE_OPERATIONS],
  ['production', CONSOLE_OPERATIONS.filter((operation) => !SANDBOX_ONLY.includes(operation))],
] as const)(
  'the console in the %s requires a session for each operation, and has no other method or path [AUTH-6]',
  async (environment, operations) => {
    await expect(probeSurface(await createApp(environment), operations)).resolves.toEqual([]);
  },
);

test('sandbox-only operations have no path in production [SANDBOX-3]', async () => {
  const app = await createApp('production');
  expect(SANDBOX_ONLY).toHaveLength(5);
  for (const { method, path } of SANDBOX_ONLY) {
    const response = await supertest(app)[method](path.replace(':id', newId('key')));
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ error: 'path: does not exist' });
  }
});
