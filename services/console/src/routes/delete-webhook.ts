import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { deleteWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `DELETE /partner-api/webhooks/{id}`: deletes a subscription permanently; a repeat is 404. */
export function deleteWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'deleteSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(deleteWebhookOperation, async (request) => {
    const { params, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    await deps.subscriptions.deleteSubscription({ ...actingOwner(request), subscriptionId }, call);
    return { status: 204 };
  });
}
