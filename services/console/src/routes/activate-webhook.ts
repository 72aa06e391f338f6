import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { activateWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/webhooks/{id}/activate`: starts queueing new events and, on request, those missed during the
 * pause. 409 `test_delivery_required` until a test delivery to the current URL has succeeded (spec: States and
 * transitions).
 */
export function activateWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'activateSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(activateWebhookOperation, async (request) => {
    const { params, body, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const activated = await deps.subscriptions.activateSubscription(
      { ...actingOwner(request), subscriptionId, backfill: body?.backfill ?? false },
      call,
    );
    return forwardResource(200, activated);
  });
}
