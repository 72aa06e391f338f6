import { createApiKeyAuthenticator } from '@partner/gateway-kit/auth/api-key-authentication';
import type { RateLimiter } from '@partner/gateway-kit/limits/rate-limiter';
import type { CursorSigner } from '@partner/gateway-kit/operations/cursor-signer';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { KeyList } from '@partner/kernel/process/key-list';
import type { Mailer } from '@partner/kernel/mail/mail';
import type { After } from '@partner/kernel/process/timers';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { Counter, type Registry } from 'prom-client';
import { authenticateKeyOperation } from '@partner/proto-contracts/internal/access/authenticate-key';
import { createBackgroundWork } from './background-work.js';
import { createChangeStreams } from './live/change-streams.js';
import { createDeviceCookie, createProviderCookie, createSessionCookie } from './sessions/cookies.js';
import { createIdentityProvider, type ProviderClient } from './sessions/identity-provider.js';
import { createLoginAttempts } from './sessions/login-attempts.js';
import { createProviderRequests } from './sessions/provider-requests.js';
import { createSessionLookup } from './sessions/session-access.js';
import type { StoreDeps } from './sessions/session-redis.js';
import { createSessionSigner } from './sessions/session-signer.js';
import { createSessionStore } from './sessions/session-store.js';
import { createSessionTrail } from './sessions/session-trail.js';
import { createPasswordChecks, type VerifyHash } from './sessions/verify-password.js';
import type { WebBundle } from './bundle/web-bundle.js';

/** What the process gives its console. */
export interface ConsoleSetup {
  readonly operations: OperationClient;
  /** The operations of the sandbox have no path in production. */
  readonly environment: 'sandbox' | 'production';
  readonly sessionRedis: StoreDeps['redis'];
  readonly keyPrefix: string;
  readonly sessionKeys: Pick<KeyList, 'keys'>;
  readonly cursorSigner: CursorSigner;
  readonly limiter: RateLimiter;
  readonly webBundle: WebBundle;
  /** Undefined: no mail server is configured. */
  readonly mailer: Mailer | undefined;
  /** Undefined: no identity provider is configured. */
  readonly provider: ProviderClient | undefined;
  readonly publicBaseUrl: string;
  /** Where webhooks reach the console; undefined: nowhere, as on a machine without https. */
  readonly webhookBaseUrl?: string | undefined;
  /** Ranges that webhooks come from. */
  readonly egressAddresses: readonly string[];
  readonly logger: Logger;
  readonly metrics: Registry;
  readonly clock: () => Date;
  readonly after: After;
  readonly rpcTimeoutMs: number;
  readonly trustedProxyHops: number;
  readonly verify?: VerifyHash;
}

export type ConsoleDeps = Awaited<ReturnType<typeof createConsoleDeps>>;

/** Creates what the endpoints share: sessions and what surrounds them, background work and streams of changes. */
export async function createConsoleDeps(setup: ConsoleSetup) {
  const { keyPrefix, publicBaseUrl, logger, metrics, clock, after } = setup;
  const stored = {
    redis: setup.sessionRedis,
    signer: createSessionSigner(setup.sessionKeys),
    keyPrefix,
    clock,
  };
  const sessions = createSessionStore(stored);
  return {
    ...setup,
    sessions,
    trail: createSessionTrail(setup),
    cookie: createSessionCookie(publicBaseUrl),
    deviceCookie: createDeviceCookie({ ...stored, publicBaseUrl }),
    providerCookie: createProviderCookie(publicBaseUrl),
    attempts: createLoginAttempts(stored),
    logins: new Counter({
      name: 'partner_console_logins_total',
      help: 'Logins by outcome: signed_in, wrong, not_owner, second_factor_required, second_factor_wrong, provider_refused, limited.',
      labelNames: ['outcome'],
      registers: [metrics],
    }),
    ...(await createPasswordChecks(setup)),
    identityProvider: setup.provider && createIdentityProvider({ ...setup.provider, publicBaseUrl, logger }),
    providerRequests: createProviderRequests(stored),
    keyAuthenticator: createApiKeyAuthenticator({
      findKey: (key, call) => setup.operations.callInternal(authenticateKeyOperation, key, call),
      surface: 'automation',
      environment: setup.environment,
      monotonicMs: () => performance.now(),
      metrics,
      after,
    }),
    background: createBackgroundWork({ logger }),
    changeStreams: createChangeStreams({
      isAlive: createSessionLookup({ ...setup, sessions }),
      logger,
      metrics,
      after,
    }),
  };
}
