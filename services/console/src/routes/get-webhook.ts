import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { getWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { subscription as webhookSubscription } from '@partner/proto-contracts/resources/subscription/subscription';
import { readResource } from '@partner/proto-contracts/resource-json';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { z } from 'zod';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks/{id}`: one subscription; another company's is 404. */
export function getWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'getSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getWebhookOperation, async ({ principal, params, call }) => {
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const subscription = await deps.subscriptions.getSubscription(
      { companyId: principal.companyId, subscriptionId },
      call,
    );
    if (principal.role === 'owner') return forwardResource(200, subscription);
    const found = readResource(webhookSubscription, subscription);
    const json: z.input<typeof webhookSubscription> = { ...found, url: shortUrl(found.url) };
    return { status: 200, json };
  });
}
