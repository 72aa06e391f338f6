import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { testWebhookOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/webhooks/{id}/test`: queues an `install.test` delivery, or an example of another event, also to another URL, and returns it. 409
 * `secret_version_mismatch` for a secret that is neither current nor pending.
 */
export function testWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'sendTestDelivery'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(testWebhookOperation, async (request) => {
    const { params, body, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const { secretVersion, event, wrongSignature, url, headers } = body ?? {};
    const delivery = await deps.subscriptions.sendTestDelivery(
      {
        ...actingOwner(request),
        subscriptionId,
        ...(secretVersion !== undefined && { secretVersion }),
        ...(wrongSignature !== undefined && { wrongSignature }),
        ...(event !== undefined && { event }),
        ...(url !== undefined && { url }),
        ...(headers !== undefined && { headers: { changes: headers } }),
      },
      call,
    );
    return forwardResource(202, delivery);
  });
}
