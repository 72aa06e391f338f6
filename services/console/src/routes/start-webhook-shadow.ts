import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { startWebhookShadowOperation } from '@partner/proto-contracts/resources/shadow/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks/{id}/shadow`: tests another URL, and then mirrors deliveries to it. */
export function startWebhookShadow(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'startShadow'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(startWebhookShadowOperation, async (request) => {
    const { params, body, call } = request;
    const { headers, ...fields } = body;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const shadow = await deps.subscriptions.startShadow(
      {
        ...fields,
        ...(headers !== undefined && { headers: { changes: headers } }),
        ...actingOwner(request),
        subscriptionId,
      },
      call,
    );
    return forwardResource(202, shadow);
  });
}
