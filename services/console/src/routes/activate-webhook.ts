import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { activateWebhookOperation } from '@partner/proto-contracts/public-api/operations/console';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import { pathId } from '../path-id.js';
import { presentSubscription } from '../present-subscription.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/webhooks/{id}/activate`: has new events queued. 409 `test_delivery_required` until a test delivery to
 * the present URL was verified (spec: States and transitions).
 */
export function activateWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'activateSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(activateWebhookOperation, async ({ principal, params, call }) => {
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const { subscription } = await deps.subscriptions.activateSubscription(
      { companyId: principal.companyId, subscriptionId },
      call,
    );
    return { status: 200, json: presentSubscription(subscription) };
  });
}
