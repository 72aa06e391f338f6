import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { listWebhooksOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks`: all subscriptions of the owner's company, oldest first. */
export function listWebhooks(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'listSubscriptions'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listWebhooksOperation, async ({ principal, call }) => {
    const subscriptions = await deps.subscriptions.listSubscriptions(
      { companyId: principal.companyId },
      call,
    );
    return forwardResource(200, subscriptions);
  });
}
