import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { pauseWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks/{id}/pause`: stops queueing new events. Idempotent. */
export function pauseWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'pauseSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(pauseWebhookOperation, async (request) => {
    const { params, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const subscription = await deps.subscriptions.pauseSubscription(
      { ...actingOwner(request), subscriptionId },
      call,
    );
    return forwardResource(200, subscription);
  });
}
