import { createClient } from '@connectrpc/connect';
import { afterEach, describe, expect, test } from '@jest/globals';
import { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/public-api/operations/console';
import { silentLogger } from '@partner/runtime/logger';
import { checkAnswers } from '@partner/runtime/testing/check-answers';
import { createInMemoryRateLimiter } from '@partner/runtime/testing/in-memory-rate-limiter';
import { createInMemoryTransport } from '@partner/runtime/testing/in-memory-transport';
import { probeSurface } from '@partner/runtime/testing/probe-surface';
import { Counter, Registry } from 'prom-client';
import { consoleEndpoints, createConsoleApp } from './app.js';
import { createSessionCookie } from './sessions/session-cookie.js';
import { FAKE_WEB_APP } from './testing/fake-web-app.js';

const checked = checkAnswers(afterEach);
const transport = createInMemoryTransport([]);
const neverAsked = (): never => {
  throw new Error('nothing is asked without a session');
};
const PUBLIC_BASE_URL = 'https://partner.example';
const parts = {
  access: createClient(AccessService, transport),
  audit: createClient(AuditService, transport),
  subscriptions: createClient(SubscriptionService, transport),
  deliveries: createClient(DeliveryService, transport),
  sessions: {
    create: neverAsked,
    find: neverAsked,
    look: neverAsked,
    list: neverAsked,
    end: neverAsked,
    endOwn: neverAsked,
    confirm: neverAsked,
    claimOwnerCheck: neverAsked,
    returnOwnerCheck: neverAsked,
  },
  changeStreams: { open: neverAsked, changed: neverAsked, lookAgain: neverAsked, close: neverAsked },
  limiter: createInMemoryRateLimiter(() => new Date('2026-09-01T12:00:00Z')),
  attempts: { begin: neverAsked },
  verifyPassword: neverAsked,
  logger: silentLogger,
  clock: () => new Date('2026-09-01T12:00:00Z'),
};

describe('the console', () => {
  test('serves exactly the operations that are described', () => {
    const endpoints = consoleEndpoints({
      ...parts,
      cookie: createSessionCookie(PUBLIC_BASE_URL),
      trail: { record: neverAsked, note: neverAsked },
      logins: new Counter({ name: 'logins', help: 'logins', labelNames: ['outcome'], registers: [] }),
    });

    const named = (list: readonly { id: string; method: string; path: string }[]) =>
      list.map(({ id, method, path }) => `${id} ${method} ${path}`).sort();
    expect(named(endpoints)).toEqual(named(CONSOLE_OPERATIONS));
  });

  test('asks for a session everywhere, and knows no other method and no other path', async () => {
    const app = createConsoleApp({
      ...parts,
      webApp: FAKE_WEB_APP,
      publicBaseUrl: PUBLIC_BASE_URL,
      metrics: new Registry(),
      rpcTimeoutMs: 1_000,
      trustedProxyHops: 0,
    });

    await expect(probeSurface(checked(app), CONSOLE_OPERATIONS)).resolves.toEqual([]);
  });
});
