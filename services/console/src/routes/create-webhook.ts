import type { Client } from '@connectrpc/connect';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { createWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { requiredField } from '../required-field.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks`: creates a paused subscription and shows its secret, for the only time. */
export function createWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'createSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(createWebhookOperation, async (request) => {
    const { principal, body, call } = request;
    const created = await deps.subscriptions.createSubscription(
      {
        ...body,
        ...actingOwner(request),
        companyClass: enumValue(CompanyClassSchema, principal.companyClass),
      },
      call,
    );
    const id = requiredField(created.subscriptionId, 'subscription_id');
    return { ...forwardResource(201, created), headers: { location: `/partner-api/webhooks/${id}` } };
  });
}
