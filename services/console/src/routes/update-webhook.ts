import type { Client } from '@connectrpc/connect';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { updateWebhookOperation } from '@partner/proto-contracts/resources/subscription/operations';
import { enumValue } from '@partner/proto-contracts/values/enum-names';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `PATCH /partner-api/webhooks/{id}`: changes the fields in the body; a new URL pauses the subscription. */
export function updateWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'updateSubscription'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(updateWebhookOperation, async (request) => {
    const { principal, params, body, call } = request;
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const { events, headers, deliveriesPerSecond, ...fields } = body;
    const subscription = await deps.subscriptions.updateSubscription(
      {
        ...fields,
        ...(events !== undefined && { events: { patterns: events } }),
        ...(headers !== undefined && {
          headers: {
            changes: headers.map(({ name, value }) => ({ name, ...(value !== null && { value }) })),
          },
        }),
        ...(deliveriesPerSecond !== undefined && {
          rate: deliveriesPerSecond === null ? {} : { perSecond: deliveriesPerSecond },
        }),
        ...actingOwner(request),
        subscriptionId,
        companyClass: enumValue(CompanyClassSchema, principal.companyClass),
      },
      call,
    );
    return forwardResource(200, subscription);
  });
}
