import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import {
  type ApiKeyAuthenticator,
  type ApiKeyPrincipal,
  FAILED_AUTHENTICATIONS_PER_MINUTE,
  scopesOfPrincipal,
} from '@partner/gateway-kit/api-key-authentication';
import type { AnyEndpoint } from '@partner/gateway-kit/endpoint';
import { createHttpApp, type HttpAppOptions } from '@partner/gateway-kit/http-app';
import type { PageCursorDeps } from '@partner/gateway-kit/page-cursor';
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { listEventFeed } from '@partner/gateway-kit/list-event-feed';
import { surfaceEndpoints } from '@partner/gateway-kit/forward-operation';
import { getManifest } from '@partner/gateway-kit/get-manifest';
import { keyCaller } from '@partner/gateway-kit/key-caller';
import { serveMcp } from '@partner/gateway-kit/mcp/serve-mcp';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { listInboundEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { getInboundManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import type { RequestListener } from 'node:http';
import { inboundTools } from './inbound-tools.js';

/** Dependencies of the inbound surface. */
export interface InboundAppDeps
  extends
    PageCursorDeps,
    Pick<
      HttpAppOptions<ApiKeyPrincipal>,
      'logger' | 'metrics' | 'rpcTimeoutMs' | 'trustedProxyHops' | 'injectFaults'
    > {
  readonly authenticator: Pick<ApiKeyAuthenticator, 'authenticate'>;
  readonly limiter: RateLimiter;
  readonly operations: Pick<OperationClient, 'call'>;
}

/** Returns the endpoints of the inbound surface: one for each of its operations. */
function inboundEndpoints(
  deps: PageCursorDeps & Pick<InboundAppDeps, 'operations'>,
): readonly AnyEndpoint<ApiKeyPrincipal>[] {
  const forwarding = { operations: deps.operations, callerOf: keyCaller };
  const own = [
    listEventFeed(listInboundEventsOperation, forwarding, deps),
    getManifest(getInboundManifestOperation, forwarding, deps),
  ];
  return surfaceEndpoints(INBOUND_OPERATIONS, own, forwarding);
}

/** Creates the inbound surface. All keys of a company share one rate limit (spec: Limits). */
export function createInboundApp(deps: InboundAppDeps): RequestListener {
  const { authenticator, limiter, logger, metrics, rpcTimeoutMs, trustedProxyHops, injectFaults } = deps;
  const endpoints = inboundEndpoints(deps);
  return createHttpApp<ApiKeyPrincipal>({
    endpoints: [...endpoints, serveMcp('inbound', endpoints, inboundTools(deps))],
    authenticate: (request) => authenticator.authenticate(request),
    challenge: 'ApiKey realm="inbound"',
    scopesOf: scopesOfPrincipal,
    keySurface: 'inbound',
    rateLimit: {
      limiter,
      keyOf: ({ companyId }) => `inbound:${companyId}`,
      limitOf: () => LIMITS.inboundRequestsPerMinute,
      countedAs: COUNTED_AS.inbound,
    },
    companyOf: ({ companyId }) => companyId,
    failedAuthentication: { limiter, limitPerMinute: FAILED_AUTHENTICATIONS_PER_MINUTE },
    logFieldsOf: ({ companyId, keyId }) => ({ companyId, keyId }),
    companyClassOf: ({ companyClass }) => companyClass,
    logger,
    metrics,
    rpcTimeoutMs,
    trustedProxyHops,
    injectFaults,
  });
}
