import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { subscriptionList } from '@partner/proto-contracts/public-api/webhook-subscription';
import { listWebhooksOperation } from '@partner/proto-contracts/public-api/operations/subscriptions';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { presentSubscription } from '../present-subscription.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks`: all subscriptions of the owner's company, oldest first. */
export function listWebhooks(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'listSubscriptions'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listWebhooksOperation, async ({ principal, call }) => {
    const { subscriptions } = await deps.subscriptions.listSubscriptions(
      { companyId: principal.companyId },
      call,
    );
    const json = {
      subscriptions: subscriptions.map(presentSubscription),
    } satisfies z.input<typeof subscriptionList>;
    return { status: 200, json };
  });
}
