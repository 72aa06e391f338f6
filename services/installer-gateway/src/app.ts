import { type ApiKeySurfaceDeps, createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { type ApiVersions, createApiVersions } from '@partner/gateway-kit/http/api-versions';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { ApiKeyPrincipal } from '@partner/gateway-kit/auth/api-key-authentication';
import { eventTools, PAGE_SIZE } from '@partner/gateway-kit/mcp/event-tools';
import { operationTool } from '@partner/gateway-kit/mcp/operation-tool';
import {
  forwardPage,
  type PositionCursor,
  surfaceEndpoints,
} from '@partner/gateway-kit/operations/forward-operation';
import { keyCaller } from '@partner/gateway-kit/operations/key-caller';
import { getManifest, listEventFeed } from '@partner/gateway-kit/operations/signed-endpoints';
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

/** Versions of the installer API (spec: Versioning). */
export const API_VERSIONS = createApiVersions(API_VERSION_LIVES, () => new Date());

interface InstallerAppDeps extends ApiKeySurfaceDeps {
  readonly versions: ApiVersions;
  readonly cursors: PositionCursor;
  readonly technicianCursors: PositionCursor;
}

/** Creates the installer surface, which is versioned by date (spec: Versioning). A company can have its own rate limit. */
export function createInstallerApp(deps: InstallerAppDeps): RequestListener {
  const { operations, cursors, technicianCursors } = deps;
  const forwarding = { operations, callerOf: keyCaller };
  const own: readonly AnyEndpoint<ApiKeyPrincipal>[] = [
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
        cursors: technicianCursors,
        atEnd: null,
      }),
    ),
    listEventFeed(events, forwarding, deps),
    getManifest(manifest, forwarding, deps),
  ];
  return createApiKeySurface(deps, {
    name: 'installer',
    endpoints: surfaceEndpoints(INSTALLER_OPERATIONS, own, forwarding),
    // Few, because assistants choose badly among many.
    tools: [
      operationTool('get_job', getJobOperation),
      operationTool('list_job_changes', listJobFeedOperation, PAGE_SIZE),
      ...eventTools({ events, manifest, preview, replay, replayState }, deps),
    ],
    requestsPerMinute: ({ installerRequestsPerMinute }) =>
      installerRequestsPerMinute ?? LIMITS.installerRequestsPerMinute,
    versions: deps.versions,
  });
}
