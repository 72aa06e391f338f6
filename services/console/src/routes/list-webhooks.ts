import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { listWebhooksOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { subscriptionList } from '@partner/proto-contracts/resources/subscription/subscription';
import { readResource } from '@partner/proto-contracts/resource-json';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { z } from 'zod';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks`: all subscriptions of the owner's company, oldest first, with shortened URLs. */
export function listWebhooks(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'listSubscriptions'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listWebhooksOperation, async ({ principal, call }) => {
    const subscriptions = await deps.subscriptions.listSubscriptions(
      { companyId: principal.companyId },
      call,
    );
    const { subscriptions: found } = readResource(subscriptionList, subscriptions);
    const json: z.input<typeof subscriptionList> = {
      subscriptions: found.map((each) => ({ ...each, url: shortUrl(each.url) })),
    };
    return { status: 200, json };
  });
}
