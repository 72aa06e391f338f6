import type { ApiKeyPrincipal } from '@partner/gateway-kit/auth/api-key-authentication';
import { type ApiKeySurfaceDeps, createApiKeySurface } from '@partner/gateway-kit/operations/api-key-surface';
import { type ApiVersions, createApiVersions } from '@partner/gateway-kit/http/api-versions';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import { type PositionCursor, surfaceEndpoints } from '@partner/gateway-kit/operations/forward-operation';
import { getManifest } from '@partner/gateway-kit/operations/get-manifest';
import { keyCaller } from '@partner/gateway-kit/operations/key-caller';
import { listEventFeed } from '@partner/gateway-kit/operations/list-event-feed';
import type { PageCursorDeps } from '@partner/gateway-kit/operations/page-cursor';
import { LIMITS } from '@partner/proto-contracts/api/limits';
import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import type { RequestListener } from 'node:http';
import { installerTools } from './installer-tools.js';
import { listJobFeed } from './routes/list-job-feed.js';
import { listTechnicians } from './routes/list-technicians.js';
import type { TechnicianCursor } from './technician-cursor.js';

/** Versions of the installer API (spec: Versioning). */
export const API_VERSIONS = createApiVersions(API_VERSION_LIVES, () => new Date());

/** Dependencies of the installer surface. */
export interface InstallerAppDeps extends ApiKeySurfaceDeps {
  readonly versions: ApiVersions;
  readonly cursors: PositionCursor;
  readonly technicianCursors: TechnicianCursor;
}

/** Returns the endpoints of the installer surface: one for each of its operations. */
function installerEndpoints(
  deps: PageCursorDeps & Pick<InstallerAppDeps, 'operations' | 'cursors' | 'technicianCursors'>,
): readonly AnyEndpoint<ApiKeyPrincipal>[] {
  const forwarding = { operations: deps.operations, callerOf: keyCaller };
  const own = [
    listJobFeed(forwarding, deps.cursors),
    listTechnicians(forwarding, deps.technicianCursors),
    listEventFeed(listInstallerEventsOperation, forwarding, deps),
    getManifest(getInstallerManifestOperation, forwarding, deps),
  ];
  return surfaceEndpoints(INSTALLER_OPERATIONS, own, forwarding);
}

/** Creates the installer surface, which is versioned by date (spec: Versioning). A company can have its own rate limit. */
export function createInstallerApp(deps: InstallerAppDeps): RequestListener {
  return createApiKeySurface(deps, {
    name: 'installer',
    endpoints: installerEndpoints(deps),
    tools: installerTools(deps),
    requestsPerMinute: ({ installerRequestsPerMinute }) =>
      installerRequestsPerMinute ?? LIMITS.installerRequestsPerMinute,
    versions: deps.versions,
  });
}
