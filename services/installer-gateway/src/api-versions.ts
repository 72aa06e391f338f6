import { CURRENT_API_VERSION } from '@partner/proto-contracts/public-api/versions';
import { type ApiVersions, createApiVersions } from '@partner/runtime/http/api-versions';

/** Every version of the installer API that works (spec: Versioning). A breaking change adds one here and to the changelog. */
export const API_VERSIONS: ApiVersions = createApiVersions({ superseded: [], current: CURRENT_API_VERSION });
