import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { rotateWebhookSecretOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks/{id}/rotate-secret`: creates a pending secret and shows it, for the only time. */
export function rotateWebhookSecret(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'rotateSecret'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(rotateWebhookSecretOperation, async (request) => {
    const { params, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const rotated = await deps.subscriptions.rotateSecret({ ...actingOwner(request), subscriptionId }, call);
    return forwardResource(201, rotated);
  });
}
