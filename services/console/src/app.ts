import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import { CONSOLE_OPERATIONS } from '@partner/proto-contracts/surfaces/console';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { createHttpApp } from '@partner/gateway-kit/http/http-app';
import { surfaceEndpoints } from '@partner/gateway-kit/operations/forward-operation';
import type { RequestListener } from 'node:http';
import { ownerCaller } from './acting-owner.js';
import type { ConsoleDeps } from './console-deps.js';
import { createClientEndpoints } from './docs/client-packages.js';
import { createDocsEndpoints } from './docs/docs-endpoints.js';
import { ownIdsEndpoint } from './docs/own-ids.js';
import { colleagueEndpoints } from './routes/colleague-endpoints.js';
import { extendedEndpoints } from './routes/extended-endpoints.js';
import { pagedLists } from './routes/paged-lists.js';
import { passwordEndpoints } from './routes/password-endpoints.js';
import { providerEndpoints } from './routes/provider-endpoints.js';
import { secondFactorEndpoints } from './routes/second-factor-endpoints.js';
import { sessionEndpoints } from './routes/session-endpoints.js';
import { technicalContactEndpoints } from './routes/technical-contact-endpoints.js';
import {
  receiveTestRequest,
  TEST_RECEIVERS,
  testReceiverEndpoint,
  testReceiverOf,
} from './routes/test-receiver-endpoints.js';
import { createSameOriginCheck } from './same-origin.js';
import { authenticateSession, checkRole, confirmedEndpoint } from './sessions/session-access.js';
import type { OwnerSession } from './sessions/session-store.js';
import { formEndpoints } from './web/form-endpoints.js';
import { notFoundPage } from './docs/signed-out-pages.js';
import { createWebEndpoints } from './web/web-endpoints.js';

/** Requests with no valid session to operations that need one, which one client address may make in a minute before it gets 429. */
const FAILED_AUTHENTICATIONS_PER_MINUTE = 300;

/** Returns the endpoints of the owners' API: one for each operation of the console. */
function consoleEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  const forwarding = { operations: deps.operations, callerOf: ownerCaller };
  const own = [
    ...sessionEndpoints(deps),
    ...providerEndpoints(deps),
    ...passwordEndpoints(deps),
    ...secondFactorEndpoints(deps),
    ...colleagueEndpoints(deps, forwarding),
    ...technicalContactEndpoints(deps),
    ...extendedEndpoints(deps, forwarding),
    ...pagedLists(deps, forwarding, CONSOLE_OPERATIONS),
    testReceiverEndpoint(deps, forwarding),
  ];
  const operations = CONSOLE_OPERATIONS.filter(
    ({ sandboxOnly }) => sandboxOnly !== true || deps.environment === 'sandbox',
  );
  return surfaceEndpoints(operations, own, forwarding);
}

/**
 * Creates the owners' API (spec: Console). Every request acts for the company of its session only. The reference of all
 * APIs and the pages of the owners' web app are public.
 */
export function createConsoleApp(deps: ConsoleDeps, memoryBytes: number): RequestListener {
  const { publicBaseUrl, limiter } = deps;
  const checkOrigin = createSameOriginCheck(publicBaseUrl);
  return createHttpApp<OwnerSession>({
    endpoints: [
      ...consoleEndpoints(deps).map((endpoint) => confirmedEndpoint(endpoint, deps.clock)),
      // Before the pages of the reference.
      ownIdsEndpoint(deps),
      ...createDocsEndpoints<OwnerSession>({
        publicBaseUrl,
        sessionCookie: deps.cookie.name,
        isSandbox: deps.environment === 'sandbox',
      }),
      ...createClientEndpoints<OwnerSession>(publicBaseUrl),
      ...formEndpoints(deps),
      ...(deps.environment === 'sandbox' ? [receiveTestRequest<OwnerSession>(deps)] : []),
      ...createWebEndpoints<OwnerSession>(deps),
    ],
    authenticate: (request) => authenticateSession(deps, request),
    challenge: 'Session realm="console"',
    scopesOf: () => [],
    admit: checkRole,
    rateLimit: {
      limiter,
      keyOf: (session) => `console:${session.id}`,
      limitOf: () => LIMITS.consoleRequestsPerMinute,
      countedAs: COUNTED_AS.console,
    },
    companyOf: ({ companyId }) => companyId,
    failedAuthentication: { limiter, limitPerMinute: FAILED_AUTHENTICATIONS_PER_MINUTE },
    withoutCredentials: {
      limiter,
      limitPerMinute: LIMITS.consoleRequestsWithoutSessionPerMinute,
      // So that no one else in the network keeps an owner from signing in, and no company webhooks from another one's test receiver.
      knownClientOf: ({ header, path }) => {
        const receiver = testReceiverOf(deps, path);
        const device = deps.deviceCookie.read(header('cookie'));
        return (receiver && `test receiver ${receiver}`) ?? (device && `device ${device.id}`);
      },
    },
    maxBodyBytes: LIMITS.consoleBodyBytes,
    memoryBytes,
    logger: deps.logger,
    metrics: deps.metrics,
    rpcTimeoutMs: deps.rpcTimeoutMs,
    trustedProxyHops: deps.trustedProxyHops,
    beforeEndpoint: (request) => {
      // Webhooks come from no page.
      if (!request.path.startsWith(TEST_RECEIVERS)) checkOrigin(request);
    },
    pageOfUnknownPath: notFoundPage,
    logFieldsOf: ({ companyId, membershipId }) => ({ companyId, membershipId }),
    companyClassOf: ({ companyClass }) => companyClass,
  });
}
