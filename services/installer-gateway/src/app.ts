import { type ApiKeySurfaceDeps, createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { createApiVersions } from '@partner/gateway-kit/versions/api-versions';
import { serveOperation } from '@partner/gateway-kit/http/endpoint';
import { PAGE_SIZE } from '@partner/gateway-kit/mcp/event-tools';
import { operationTool } from '@partner/gateway-kit/mcp/operation-tool';
import { forwardPage, type PositionCursor } from '@partner/gateway-kit/operations/forward-operation';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { listInstallerEventsOperation as events } from '@partner/proto-contracts/resources/event-feed/operations';
import {
  getInstallerEventReplayOperation as replayState,
  previewInstallerEventReplayOperation as preview,
  replayInstallerEventsOperation as replay,
} from '@partner/proto-contracts/resources/event-replay/operations';
import { listJobFeedOperation } from '@partner/proto-contracts/resources/feed-entry/operations';
import { getJobOperation } from '@partner/proto-contracts/resources/job/operations';
import { getInstallerManifestOperation as manifest } from '@partner/proto-contracts/resources/manifest/operations';
import { listTechniciansOperation } from '@partner/proto-contracts/resources/technician/operations';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import type { RequestListener } from 'node:http';
import { createFeedCursor } from './feed-cursor.js';

export const API_VERSIONS = createApiVersions(API_VERSION_LIVES, () => new Date());

interface InstallerAppDeps extends ApiKeySurfaceDeps {
  readonly technicianCursors: PositionCursor;
}

/** Creates the installer surface, which is versioned by date (spec: Versioning). A company can have its own rate limit. */
export function createInstallerApp(deps: InstallerAppDeps): RequestListener {
  const cursors = createFeedCursor(deps.cursorSigner);
  return createApiKeySurface(deps, {
    name: 'installer',
    operations: INSTALLER_OPERATIONS,
    eventOperations: { events, manifest, preview, replay, replayState },
    own: (forwarding) => [
      // Without a new position the reader keeps its cursor, so `nextCursor` is null only if the company has no entry.
      serveOperation(listJobFeedOperation, (request) =>
        forwardPage(listJobFeedOperation, request, {
          ...forwarding,
          cursors,
          atEnd: request.query.cursor ?? null,
        }),
      ),
      serveOperation(listTechniciansOperation, (request) =>
        forwardPage(listTechniciansOperation, request, {
          ...forwarding,
          cursors: deps.technicianCursors,
          atEnd: null,
        }),
      ),
    ],
    // Few, because assistants choose badly among many.
    tools: [
      operationTool('get_job', getJobOperation),
      operationTool('list_job_changes', listJobFeedOperation, PAGE_SIZE),
    ],
    requestsPerMinute: ({ installerRequestsPerMinute }) =>
      installerRequestsPerMinute ?? LIMITS.installerRequestsPerMinute,
    versions: API_VERSIONS,
  });
}
