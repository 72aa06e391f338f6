import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import type { McpSurface } from '@partner/proto-contracts/api/mcp';
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
import { mcpEvents } from '../mcp/mcp-events.js';
import { serveMcp } from '../mcp/serve-mcp.js';
import type { Tool } from '../mcp/tool.js';
import { eventCursors } from './event-cursor.js';
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

interface SurfaceParts extends Pick<HttpAppOptions<ApiKeyPrincipal>, 'versions' | 'memoryBytes'> {
  readonly operations: readonly AnyOperation[];
  /** The endpoints that do more than forward, without those of events. */
  readonly own?: (forwarding: Forwarding<ApiKeyPrincipal>) => readonly AnyEndpoint<ApiKeyPrincipal>[];
  readonly requestsPerMinute: (principal: ApiKeyPrincipal) => number;
}

/** A surface that serves its company's events, and assistants. */
interface EventParts {
  readonly name: McpSurface;
  readonly eventOperations: EventOperations;
  readonly tools: readonly Tool[];
}

const USER_AGENT_LENGTH = 200;

/**
 * Creates a surface that takes API keys: its operations, the tools that are its own, and those for its events. All keys of a company
 * share one rate limit (spec: Limits).
 */
export function createApiKeySurface(
  deps: ApiKeySurfaceDeps,
  surface: SurfaceParts &
    (EventParts | { readonly name: Exclude<Surface, McpSurface>; readonly eventOperations?: undefined }),
): RequestListener {
  const { authenticator, limiter, logger, metrics, rpcTimeoutMs, trustedProxyHops, injectFaults } = deps;
  const { name, operations, own = () => [], requestsPerMinute, versions, memoryBytes } = surface;
  const forwarding = { operations: deps.operations, callerOf: keyCaller };
  const endpoints = [...surfaceEndpoints(operations, [...ofEvents(), ...own(forwarding)], forwarding)];
  if (surface.eventOperations !== undefined) {
    const { eventOperations } = surface;
    const tools = [...surface.tools, ...eventTools(eventOperations, deps)];
    const checkCursor = eventCursors(deps).decode;
    const extensions = [mcpEvents(eventOperations.events, { clock: deps.clock, checkCursor })];
    endpoints.push(serveMcp(surface.name, [...endpoints], tools, extensions));
  }
  return createHttpApp<ApiKeyPrincipal>({
    endpoints,
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
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
  });

  function ofEvents(): readonly AnyEndpoint<ApiKeyPrincipal>[] {
    if (surface.eventOperations === undefined) return [];
    const { events, manifest } = surface.eventOperations;
    return [listEventFeed(events, forwarding, deps), getManifest(manifest, forwarding, deps)];
  }
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
