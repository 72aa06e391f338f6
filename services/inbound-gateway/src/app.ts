import { operationTool } from '@partner/gateway-kit/mcp/operation-tool';
import { type ApiKeySurfaceDeps, createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import { listInboundEventsOperation as events } from '@partner/proto-contracts/resources/event-feed/operations';
import {
  getInboundEventReplayOperation as replayState,
  previewInboundEventReplayOperation as preview,
  replayInboundEventsOperation as replay,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { getInboundManifestOperation as manifest } from '@partner/proto-contracts/resources/manifest/operations';
import { INBOUND_OPERATIONS } from '@partner/proto-contracts/surfaces/inbound';
import type { RequestListener } from 'node:http';

export function createInboundApp(deps: ApiKeySurfaceDeps): RequestListener {
  return createApiKeySurface(deps, {
    name: 'inbound',
    operations: INBOUND_OPERATIONS,
    eventOperations: { events, manifest, preview, replay, replayState },
    // Few, because assistants choose badly among many.
    tools: [operationTool('list_jobs', listContractorJobsOperation)],
    requestsPerMinute: () => LIMITS.inboundRequestsPerMinute,
  });
}
