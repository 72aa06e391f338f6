import { listContractorJobsOperation } from '@partner/proto-contracts/resources/contractor-job/operations';
import { listInboundEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import {
  getInboundEventReplayOperation,
  previewInboundEventReplayOperation,
  replayInboundEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { getInboundManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { explainEventTool } from '@partner/gateway-kit/mcp/explain-event';
import { operationTool } from '@partner/gateway-kit/mcp/operation-tool';
import { replayTools } from '@partner/gateway-kit/mcp/replay-tools';
import type { Tool } from '@partner/gateway-kit/mcp/tool';

const PAGE_SIZE = 20;
const MANIFEST_PAGE_SIZE = 100;

/** Returns the tools that the inbound surface offers to assistants: few, because they choose badly among many. */
export function inboundTools(deps: { readonly clock: () => Date }): readonly Tool[] {
  const replay = { preview: previewInboundEventReplayOperation, replay: replayInboundEventsOperation };
  return [
    operationTool('list_jobs', listContractorJobsOperation),
    operationTool('list_events', listInboundEventsOperation, PAGE_SIZE),
    operationTool('read_manifest', getInboundManifestOperation, MANIFEST_PAGE_SIZE),
    explainEventTool(getInboundManifestOperation, deps),
    ...replayTools(replay, deps),
    operationTool('get_replay', getInboundEventReplayOperation),
  ];
}
