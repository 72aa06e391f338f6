import { invariant } from '@partner/kernel/process/invariant';
import type { EndpointRequest } from '../http/endpoint.js';

/** Returns a public resource that job-state rendered, with `apiVersion` in front on the versioned surface. It is never parsed. */
export function versionedText(
  operation: { readonly path: string },
  request: Pick<EndpointRequest<unknown, unknown, unknown>, 'apiVersion'>,
  resourceJson: string | undefined,
): string {
  invariant(resourceJson, 'a response has its resource');
  return operation.path.startsWith('/partner/v1/')
    ? `{"apiVersion":${JSON.stringify(request.apiVersion)},${resourceJson.slice(1)}`
    : resourceJson;
}
