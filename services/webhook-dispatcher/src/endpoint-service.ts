import type { ServiceImpl } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { ServiceError } from '@partner/kernel/process/service-error';
import { ENDPOINT_REFUSALS, type EndpointGuard } from './endpoint-guard.js';

/**
 * RPC service with which job-state checks endpoint URLs (spec: Subscription URL rules). It applies the guard that every
 * delivery passes. A URL that is allowed now can still be refused at delivery if its DNS records change.
 */
export function createEndpointService(deps: {
  readonly guard: EndpointGuard;
}): ServiceImpl<typeof EndpointService> {
  return {
    async checkEndpoint(request) {
      if (request.url === undefined) throw new ServiceError('invalid_argument', 'url is not given');
      const verdict = await deps.guard.admit(request.url);
      return verdict.admitted
        ? { allowed: true, normalizedUrl: verdict.endpoint.url.text }
        : { allowed: false, refusal: ENDPOINT_REFUSALS[verdict.cause] };
    },
  };
}
