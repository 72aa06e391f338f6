import { API_VERSION_LIVES } from '@partner/proto-contracts/public-api/versions';
import { type ApiVersions, createApiVersions } from '@partner/gateway-kit/api-versions';

/** The versions of the installer API (spec: Versioning). A breaking change adds what differs in the version before it. */
export const API_VERSIONS: ApiVersions = createApiVersions({
  lives: API_VERSION_LIVES,
  differences: {},
  now: () => new Date(),
});
