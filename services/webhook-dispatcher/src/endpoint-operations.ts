import { checkEndpointOperation } from '@partner/proto-contracts/internal/webhooks/check-endpoint';
import { type Implementation, implementInternal } from '@partner/kernel/amqp/implement';
import { ENDPOINT_REFUSALS, type EndpointGuard } from './endpoint-guard.js';

/**
 * The operation with which job-state checks endpoint URLs (spec: Subscription URL rules). It applies the guard that every
 * delivery passes. A URL that is allowed now can still be refused at delivery if its DNS records change.
 */
export function endpointOperations({ guard }: { readonly guard: EndpointGuard }): readonly Implementation[] {
  return [
    implementInternal(checkEndpointOperation, async ({ url }) => {
      const verdict = await guard.admit(url);
      return verdict.admitted
        ? { normalizedUrl: verdict.endpoint.url.text }
        : { refusal: ENDPOINT_REFUSALS[verdict.cause] };
    }),
  ];
}
