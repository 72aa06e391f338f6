import type { AnyOperation, OperationLike } from '@partner/proto-contracts/api/operation';
import type { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import type { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { explainEventTool } from './explain-event.js';
import { operationTool } from './operation-tool.js';
import { replayTools } from './replay-tools.js';
import type { Tool } from './tool.js';

/** Items of a page that an assistant reads unless it asks for more. */
export const PAGE_SIZE = 20;
const MANIFEST_PAGE_SIZE = 100;

export interface EventOperations {
  readonly events: OperationLike<typeof listInstallerEventsOperation>;
  readonly manifest: OperationLike<typeof getInstallerManifestOperation>;
  readonly preview: AnyOperation;
  readonly replay: AnyOperation;
  readonly replayState: AnyOperation;
}

export function eventTools(
  operations: EventOperations,
  deps: { readonly clock: () => Date },
): readonly Tool[] {
  return [
    operationTool('list_events', operations.events, PAGE_SIZE),
    operationTool('read_manifest', operations.manifest, MANIFEST_PAGE_SIZE),
    explainEventTool(operations.manifest, deps),
    ...replayTools(operations, deps),
    operationTool('get_replay', operations.replayState),
  ];
}
