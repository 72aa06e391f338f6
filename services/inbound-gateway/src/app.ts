import { type ApiKeySurfaceDeps, createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { surfaceEndpoints } from '@partner/gateway-kit/operations/forward-operation';
import { getManifest } from '@partner/gateway-kit/operations/get-manifest';
import { keyCaller } from '@partner/gateway-kit/operations/key-caller';
import { listEventFeed } from '@partner/gateway-kit/operations/list-event-feed';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { listInboundEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { getInboundManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import type { RequestListener } from 'node:http';
import { inboundTools } from './inbound-tools.js';

/** Creates the inbound surface: an endpoint for each of its operations. */
export function createInboundApp(deps: ApiKeySurfaceDeps): RequestListener {
  const forwarding = { operations: deps.operations, callerOf: keyCaller };
  const own = [
    listEventFeed(listInboundEventsOperation, forwarding, deps),
    getManifest(getInboundManifestOperation, forwarding, deps),
  ];
  return createApiKeySurface(deps, {
    name: 'inbound',
    endpoints: surfaceEndpoints(INBOUND_OPERATIONS, own, forwarding),
    tools: inboundTools(deps),
    requestsPerMinute: () => LIMITS.inboundRequestsPerMinute,
  });
}
