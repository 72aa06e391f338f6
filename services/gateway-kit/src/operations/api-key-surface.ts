import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { Surface } from '@partner/proto-contracts/api/scopes';
import type { Caller } from '@partner/proto-contracts/call';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import type { RequestListener } from 'node:http';
import {
  type ApiKeyAuthenticator,
  type ApiKeyPrincipal,
  FAILED_AUTHENTICATIONS_PER_MINUTE,
  scopesOfPrincipal,
} from '../auth/api-key-authentication.js';
import type { AnyEndpoint, EndpointRequest } from '../http/endpoint.js';
import { createHttpApp, type HttpAppOptions } from '../http/http-app.js';
import { type EventOperations, eventTools } from '../mcp/event-tools.js';
import { serveMcp } from '../mcp/serve-mcp.js';
import type { Tool } from '../mcp/tool.js';
import { type Forwarding, surfaceEndpoints } from './forward-operation.js';
import type { PageCursorDeps } from './page-cursor.js';
import { getManifest, listEventFeed } from './signed-endpoints.js';
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

const USER_AGENT_LENGTH = 200;

/**
 * Creates a surface that takes API keys: its operations, the tools that are its own, and those for its events. All keys of a company
 * share one rate limit (spec: Limits).
 */
export function createApiKeySurface(
  deps: ApiKeySurfaceDeps,
  surface: {
    readonly name: Surface;
    readonly operations: readonly AnyOperation[];
    readonly eventOperations: EventOperations;
    /** The endpoints that do more than forward, without those of events. */
    readonly own?: (forwarding: Forwarding<ApiKeyPrincipal>) => readonly AnyEndpoint<ApiKeyPrincipal>[];
    readonly tools: readonly Tool[];
    readonly requestsPerMinute: (principal: ApiKeyPrincipal) => number;
  } & Pick<HttpAppOptions<ApiKeyPrincipal>, 'versions'>,
): RequestListener {
  const { authenticator, limiter, logger, metrics, rpcTimeoutMs, trustedProxyHops, injectFaults } = deps;
  const { name, eventOperations, own = () => [], requestsPerMinute, versions } = surface;
  const forwarding = { operations: deps.operations, callerOf: keyCaller };
  const ofEvents = [
    listEventFeed(eventOperations.events, forwarding, deps),
    getManifest(eventOperations.manifest, forwarding, deps),
  ];
  const endpoints = surfaceEndpoints(surface.operations, [...ofEvents, ...own(forwarding)], forwarding);
  const tools = [...surface.tools, ...eventTools(eventOperations, deps)];
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

function keyCaller({
  principal: { companyId, companyClass, keyId, boundCompanyId },
  remoteAddress,
  header,
}: Pick<
  EndpointRequest<ApiKeyPrincipal, unknown, unknown>,
  'principal' | 'remoteAddress' | 'header'
>): Caller {
  const userAgent = header('user-agent')?.slice(0, USER_AGENT_LENGTH);
  return {
    kind: 'key',
    companyId,
    companyClass,
    keyId,
    ...(boundCompanyId !== undefined && { boundCompanyId }),
    remoteAddress,
    ...(userAgent !== undefined && { userAgent }),
  };
}
