import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import {
  getInstallerEventReplayOperation,
  previewInstallerEventReplayOperation,
  replayInstallerEventsOperation,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { explainEventTool } from '@partner/gateway-kit/mcp/explain-event';
import { operationTool } from '@partner/gateway-kit/mcp/operation-tool';
import { replayTools } from '@partner/gateway-kit/mcp/replay-tools';
import type { Tool } from '@partner/gateway-kit/mcp/tool';

const PAGE_SIZE = 20;
const MANIFEST_PAGE_SIZE = 100;

/** Returns the tools that the installer surface offers to assistants: few, because they choose badly among many. */
export function installerTools(deps: { readonly clock: () => Date }): readonly Tool[] {
  const replay = { preview: previewInstallerEventReplayOperation, replay: replayInstallerEventsOperation };
  return [
    operationTool('get_job', getJobOperation),
    operationTool('list_job_changes', listJobFeedOperation, PAGE_SIZE),
    operationTool('list_events', listInstallerEventsOperation, PAGE_SIZE),
    operationTool('read_manifest', getInstallerManifestOperation, MANIFEST_PAGE_SIZE),
    explainEventTool(getInstallerManifestOperation, deps),
    ...replayTools(replay, deps),
    operationTool('get_replay', getInstallerEventReplayOperation),
  ];
}
