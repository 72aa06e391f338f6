import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { getWebhookShadowOperation } from '@partner/proto-contracts/resources/shadow/operations';
import { webhookShadowState } from '@partner/proto-contracts/resources/shadow/shadow';
import { readResource } from '@partner/proto-contracts/resource-json';
import { shortUrl } from '@partner/proto-contracts/values/short-url';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { z } from 'zod';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks/{id}/shadow`: how the shadow of a subscription compares. */
export function getWebhookShadow(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'getShadow'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getWebhookShadowOperation, async ({ principal, params, call }) => {
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const { companyId } = principal;
    const response = await deps.subscriptions.getShadow({ companyId, subscriptionId }, call);
    if (principal.role === 'owner') return forwardResource(200, response);
    const { shadow } = readResource(webhookShadowState, response);
    const json: z.input<typeof webhookShadowState> = {
      shadow: shadow && { ...shadow, url: shortUrl(shadow.url) },
    };
    return { status: 200, json };
  });
}
