import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { createHttpApp } from '@partner/gateway-kit/http/http-app';
import { surfaceEndpoints } from '@partner/gateway-kit/operations/forward-operation';
import type { RequestListener } from 'node:http';
import { Counter, type Registry } from 'prom-client';
import { ownerCaller } from './acting-owner.js';
import type { ConsoleDeps } from './console-deps.js';
import { createClientEndpoints } from './docs/client-packages.js';
import { createDocsEndpoints } from './docs/docs-endpoints.js';
import { colleagueEndpoints } from './routes/colleague-endpoints.js';
import { extendedEndpoints } from './routes/extended-endpoints.js';
import { passwordEndpoints } from './routes/password-endpoints.js';
import { providerEndpoints } from './routes/provider-endpoints.js';
import { secondFactorEndpoints } from './routes/second-factor-endpoints.js';
import { sessionEndpoints } from './routes/session-endpoints.js';
import { technicalContactEndpoints } from './routes/technical-contact-endpoints.js';
import { createSameOriginCheck } from './same-origin.js';
import { createProviderCookie, createSessionCookie } from './sessions/cookies.js';
import { authenticateSession, checkRole, confirmedEndpoint } from './sessions/session-access.js';
import type { OwnerSession } from './sessions/session-store.js';
import { createSessionTrail } from './sessions/session-trail.js';
import { createWebEndpoints, type WebAppDeps } from './web/web-endpoints.js';

/** Requests with no valid session to operations that need one, which one client address may make in a minute before it gets 429. */
const FAILED_AUTHENTICATIONS_PER_MINUTE = 300;

/** Dependencies of the console's API. */
export interface ConsoleAppDeps extends Omit<ConsoleDeps, 'cookie' | 'providerCookie' | 'logins' | 'trail'> {
  readonly webApp: Omit<WebAppDeps, 'cookie' | 'sendsMail' | 'providerName'>;
  readonly metrics: Registry;
  readonly trustedProxyHops: number;
}

/** Returns the endpoints of the owners' API: one for each operation of the console. */
export function consoleEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  const forwarding = { operations: deps.operations, callerOf: ownerCaller };
  const own = [
    ...sessionEndpoints(deps),
    ...providerEndpoints(deps),
    ...passwordEndpoints(deps),
    ...secondFactorEndpoints(deps),
    ...colleagueEndpoints(deps, forwarding),
    ...technicalContactEndpoints(deps),
    ...extendedEndpoints(deps, forwarding),
  ];
  const operations = CONSOLE_OPERATIONS.filter(({ sandboxOnly }) => sandboxOnly !== true || deps.isSandbox);
  return surfaceEndpoints(operations, own, forwarding);
}

/**
 * Creates the owners' API (spec: Console). Every request acts for the company of its session only. The reference of all
 * APIs and the pages of the owners' web app are public.
 */
export function createConsoleApp(deps: ConsoleAppDeps): RequestListener {
  const cookie = createSessionCookie(deps.publicBaseUrl);
  const logins = new Counter({
    name: 'partner_console_logins_total',
    help: 'Logins by outcome: signed_in, wrong, not_owner, second_factor_required, second_factor_wrong, provider_refused, limited.',
    labelNames: ['outcome'],
    registers: [deps.metrics],
  });
  const providerCookie = createProviderCookie(deps.publicBaseUrl);
  const kit = { ...deps, cookie, providerCookie, logins, trail: createSessionTrail(deps) };

  return createHttpApp<OwnerSession>({
    endpoints: [
      ...consoleEndpoints(kit).map((endpoint) => confirmedEndpoint(endpoint, deps.clock)),
      ...createDocsEndpoints<OwnerSession>({
        publicBaseUrl: deps.publicBaseUrl,
        sessionCookie: cookie.name,
        isSandbox: deps.isSandbox,
      }),
      ...createClientEndpoints<OwnerSession>({
        publicBaseUrl: deps.publicBaseUrl,
        icon: '/docs/icon.svg',
      }),
      ...createWebEndpoints<OwnerSession>({
        ...deps.webApp,
        cookie,
        sendsMail: deps.mailer !== undefined,
        providerName: deps.identityProvider?.name,
      }),
    ],
    authenticate: (request) => authenticateSession(kit, request),
    challenge: 'Session realm="console"',
    scopesOf: () => [],
    admit: checkRole,
    rateLimit: {
      limiter: deps.limiter,
      keyOf: (session) => `console:${session.id}`,
      limitOf: () => LIMITS.consoleRequestsPerMinute,
      countedAs: COUNTED_AS.console,
    },
    companyOf: ({ companyId }) => companyId,
    failedAuthentication: {
      limiter: deps.limiter,
      limitPerMinute: FAILED_AUTHENTICATIONS_PER_MINUTE,
    },
    withoutCredentials: {
      limiter: deps.limiter,
      limitPerMinute: LIMITS.consoleRequestsWithoutSessionPerMinute,
      // So that no one else in the network keeps an owner from signing in.
      knownClientOf: ({ header }) => {
        const device = deps.deviceCookie.read(header('cookie'));
        return device && `device ${device.id}`;
      },
    },
    maxBodyBytes: LIMITS.consoleBodyBytes,
    logger: deps.logger,
    metrics: deps.metrics,
    rpcTimeoutMs: deps.rpcTimeoutMs,
    trustedProxyHops: deps.trustedProxyHops,
    beforeEndpoint: createSameOriginCheck(deps.publicBaseUrl),
    logFieldsOf: ({ companyId, membershipId }) => ({ companyId, membershipId }),
    companyClassOf: ({ companyClass }) => companyClass,
  });
}
