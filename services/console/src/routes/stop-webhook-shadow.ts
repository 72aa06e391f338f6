import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { stopWebhookShadowOperation } from '@partner/proto-contracts/resources/shadow/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks/{id}/shadow/stop`: stops mirroring. */
export function stopWebhookShadow(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'stopShadow'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(stopWebhookShadowOperation, async (request) => {
    const { params, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const shadow = await deps.subscriptions.stopShadow({ ...actingOwner(request), subscriptionId }, call);
    return forwardResource(200, shadow);
  });
}
