import type { ServiceImpl } from '@connectrpc/connect';
import type { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import { ServiceError } from '@partner/kernel/service-error';
import { ENDPOINT_REFUSALS, type EndpointGuard } from './endpoint-guard.js';

/**
 * Answers job-state's questions about endpoint URLs with the same guard that every delivery passes (spec: Subscription URL
 * rules). What is allowed now can still be refused at delivery, when DNS says something else.
 */
export function createEndpointService(deps: {
  readonly guard: EndpointGuard;
}): ServiceImpl<typeof EndpointService> {
  return {
    async checkEndpoint(request) {
      if (request.url === undefined) throw new ServiceError('invalid_argument', 'url is not given');
      const verdict = await deps.guard.admit(request.url);
      return verdict.admitted
        ? { allowed: true, normalizedUrl: verdict.endpoint.url.href }
        : { allowed: false, refusal: ENDPOINT_REFUSALS[verdict.cause] };
    },
  };
}
