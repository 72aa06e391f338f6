import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { activateWebhookSecretOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/webhooks/{id}/activate-secret`: signs with the pending secret from now on. 409
 * `secret_version_mismatch` for any version but the pending one or, on a repeat, the one that is now current.
 */
export function activateWebhookSecret(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'activateSecret'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(activateWebhookSecretOperation, async (request) => {
    const { params, body, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const { pendingSecretVersion } = body;
    const subscription = await deps.subscriptions.activateSecret(
      { ...actingOwner(request), subscriptionId, pendingSecretVersion },
      call,
    );
    return forwardResource(200, subscription);
  });
}
