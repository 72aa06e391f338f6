import type { SurfaceRequest } from '@partner/gateway-kit/auth/surface-request';
import { announcesBody } from '@partner/gateway-kit/http/request-body';
import { invalidArgument } from '@partner/kernel/process/validation';
import { ServiceError } from '@partner/kernel/process/service-error';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Creates the CSRF check. A request that can change state must come from the console's own origin, else
 * `permission_denied`; a missing `Origin` counts as foreign. Its body must be JSON, else `invalid_argument`, except that of a form of the
 * console's own pages without a session. A form of another site can do neither.
 */
export function createSameOriginCheck(
  publicBaseUrl: string,
): (request: Pick<SurfaceRequest, 'method' | 'path' | 'header'>) => void {
  const { origin } = new URL(publicBaseUrl);
  return (request) => {
    if (SAFE_METHODS.has(request.method)) return;
    if (request.header('origin') !== origin) {
      throw new ServiceError('permission_denied', `the origin header must be ${origin}`);
    }
    const header = (name: string) => request.header(name);
    if (request.path.startsWith('/console/')) return;
    if (announcesBody(header) && mediaType(header('content-type')) !== 'application/json') {
      throw invalidArgument([{ path: 'content-type', message: 'must be application/json' }]);
    }
  };
}

function mediaType(contentType: string | undefined): string | undefined {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase();
}
