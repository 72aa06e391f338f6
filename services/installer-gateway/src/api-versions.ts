import { API_VERSION_LIVES } from '@partner/proto-contracts/api/versions';
import { type ApiVersions, createApiVersions } from '@partner/gateway-kit/versions/api-versions';

/**
 * Versions of the installer API (spec: Versioning). For a breaking change, add its differences to the version before
 * it.
 */
export const API_VERSIONS: ApiVersions = createApiVersions({
  lives: API_VERSION_LIVES,
  differences: {},
  now: () => new Date(),
});
