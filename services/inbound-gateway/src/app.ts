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
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { type EventFeedDeps, listEventFeed } from '@partner/gateway-kit/list-event-feed';
import { surfaceEndpoints } from '@partner/gateway-kit/forward-operation';
import { getManifest } from '@partner/gateway-kit/get-manifest';
import { keyCaller } from '@partner/gateway-kit/key-caller';
import { serveMcp } from '@partner/gateway-kit/mcp/serve-mcp';
import { eventReplayEndpoints } from '@partner/gateway-kit/replay-events';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import { listInboundEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import {
  cancelInboundEventReplayOperation,
  getInboundEventReplayOperation,
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { getInboundManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import type { RequestListener } from 'node:http';
import { inboundTools } from './inbound-tools.js';

/** Dependencies of the inbound surface. */
export interface InboundAppDeps
  extends
    EventFeedDeps,
    Pick<
      HttpAppOptions<ApiKeyPrincipal>,
      'logger' | 'metrics' | 'rpcTimeoutMs' | 'trustedProxyHops' | 'injectFaults'
    > {
  readonly authenticator: Pick<ApiKeyAuthenticator, 'authenticate'>;
  readonly limiter: RateLimiter;
  readonly operations: Pick<OperationClient, 'call'>;
}

const REPLAY_OPERATIONS = {
  preview: previewInboundEventReplayOperation,
  replay: replayInboundEventsOperation,
  get: getInboundEventReplayOperation,
  cancel: cancelInboundEventReplayOperation,
} as const;

/** Returns the endpoints of the inbound surface: one for each of its operations. */
function inboundEndpoints(
  deps: EventFeedDeps & Pick<InboundAppDeps, 'operations'>,
): readonly AnyEndpoint<ApiKeyPrincipal>[] {
  const own = [
    listEventFeed(listInboundEventsOperation, deps),
    ...eventReplayEndpoints(REPLAY_OPERATIONS, deps),
    getManifest(getInboundManifestOperation, deps),
  ];
  return surfaceEndpoints(INBOUND_OPERATIONS, own, { operations: deps.operations, callerOf: keyCaller });
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
