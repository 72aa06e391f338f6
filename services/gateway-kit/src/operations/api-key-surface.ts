import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import type { Surface } from '@partner/proto-contracts/api/scopes';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { RequestListener } from 'node:http';
import {
  type ApiKeyAuthenticator,
  type ApiKeyPrincipal,
  FAILED_AUTHENTICATIONS_PER_MINUTE,
  scopesOfPrincipal,
} from '../auth/api-key-authentication.js';
import type { AnyEndpoint } from '../http/endpoint.js';
import { createHttpApp, type HttpAppOptions } from '../http/http-app.js';
import { serveMcp } from '../mcp/serve-mcp.js';
import type { Tool } from '../mcp/tool.js';
import type { PageCursorDeps } from './page-cursor.js';
import type { RateLimiter } from '../limits/rate-limiter.js';

/** What `runGateway` provides to a surface that takes API keys. */
export interface ApiKeySurfaceDeps
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

/** Creates a surface that takes API keys. All keys of a company share one rate limit (spec: Limits). */
export function createApiKeySurface(
  deps: ApiKeySurfaceDeps,
  surface: {
    readonly name: Surface;
    readonly endpoints: readonly AnyEndpoint<ApiKeyPrincipal>[];
    readonly tools: readonly Tool[];
    readonly requestsPerMinute: (principal: ApiKeyPrincipal) => number;
  } & Pick<HttpAppOptions<ApiKeyPrincipal>, 'versions'>,
): RequestListener {
  const { authenticator, limiter, logger, metrics, rpcTimeoutMs, trustedProxyHops, injectFaults } = deps;
  const { name, endpoints, tools, requestsPerMinute, versions } = surface;
  return createHttpApp<ApiKeyPrincipal>({
    endpoints: [...endpoints, serveMcp(name, endpoints, tools)],
    authenticate: (request) => authenticator.authenticate(request),
    challenge: `ApiKey realm="${name}"`,
    scopesOf: scopesOfPrincipal,
    keySurface: name,
    rateLimit: {
      limiter,
      keyOf: ({ companyId }) => `${name}:${companyId}`,
      limitOf: requestsPerMinute,
      countedAs: COUNTED_AS[name],
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
    ...(versions === undefined ? {} : { versions }),
  });
}
