import { LIMITS } from '@partner/proto-contracts/api/limits';
import { COUNTED_AS } from '@partner/proto-contracts/api/refusals';
import {
  type ApiKeyAuthenticator,
  type ApiKeyPrincipal,
  FAILED_AUTHENTICATIONS_PER_MINUTE,
  scopesOfPrincipal,
} from '@partner/gateway-kit/api-key-authentication';
import type { ApiVersions } from '@partner/gateway-kit/api-versions';
import type { AnyEndpoint } from '@partner/gateway-kit/endpoint';
import { createHttpApp, type HttpAppOptions } from '@partner/gateway-kit/http-app';
import type { PageCursorDeps } from '@partner/gateway-kit/page-cursor';
import type { RateLimiter } from '@partner/gateway-kit/rate-limiter';
import { listEventFeed } from '@partner/gateway-kit/list-event-feed';
import { type PositionCursor, surfaceEndpoints } from '@partner/gateway-kit/forward-operation';
import { getManifest } from '@partner/gateway-kit/get-manifest';
import { keyCaller } from '@partner/gateway-kit/key-caller';
import { serveMcp } from '@partner/gateway-kit/mcp/serve-mcp';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { INSTALLER_OPERATIONS } from '@partner/proto-contracts/surfaces/installer';
import { listInstallerEventsOperation } from '@partner/proto-contracts/resources/event-feed/operations';
import { getInstallerManifestOperation } from '@partner/proto-contracts/resources/manifest/operations';
import type { RequestListener } from 'node:http';
import { installerTools } from './installer-tools.js';
import { listJobFeed } from './routes/list-job-feed.js';
import { listTechnicians } from './routes/list-technicians.js';
import type { TechnicianCursor } from './technician-cursor.js';

/** Dependencies of the installer surface. */
export interface InstallerAppDeps
  extends
    PageCursorDeps,
    Pick<
      HttpAppOptions<ApiKeyPrincipal>,
      'logger' | 'metrics' | 'rpcTimeoutMs' | 'trustedProxyHops' | 'injectFaults'
    > {
  readonly versions: ApiVersions;
  readonly authenticator: Pick<ApiKeyAuthenticator, 'authenticate'>;
  readonly limiter: RateLimiter;
  readonly operations: Pick<OperationClient, 'call'>;
  readonly cursors: PositionCursor;
  readonly technicianCursors: TechnicianCursor;
}

/** Returns the endpoints of the installer surface: one for each of its operations. */
export function installerEndpoints(
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

/**
 * Creates the installer surface. It is versioned by date and rate-limited per company that owns the key (spec: Limits,
 * Versioning).
 */
export function createInstallerApp(deps: InstallerAppDeps): RequestListener {
  const { versions, authenticator, limiter } = deps;
  const { logger, metrics, rpcTimeoutMs, trustedProxyHops, injectFaults } = deps;
  const endpoints = installerEndpoints(deps);
  return createHttpApp<ApiKeyPrincipal>({
    endpoints: [...endpoints, serveMcp('installer', endpoints, installerTools(deps))],
    authenticate: (request) => authenticator.authenticate(request),
    challenge: 'ApiKey realm="installer"',
    scopesOf: scopesOfPrincipal,
    keySurface: 'installer',
    rateLimit: {
      limiter,
      keyOf: ({ companyId }) => `installer:${companyId}`,
      limitOf: ({ installerRequestsPerMinute }) =>
        installerRequestsPerMinute ?? LIMITS.installerRequestsPerMinute,
      countedAs: COUNTED_AS.installer,
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
    versions,
  });
}
