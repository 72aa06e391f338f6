import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { subscriptionCreated } from '@partner/proto-contracts/public-api/webhook-subscription';
import { createWebhookOperation } from '@partner/proto-contracts/public-api/operations/subscriptions';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { actingOwner } from '../acting-owner.js';
import { companyClassOf } from '../company-class.js';
import { presentSubscription } from '../present-subscription.js';
import { requiredField } from '../required-field.js';
import { requireConfirmed } from '../sessions/require-confirmed.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/webhooks`: makes a paused subscription and shows its secret for the only time. */
export function createWebhook(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'createSubscription'>;
  readonly clock: () => Date;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(createWebhookOperation, async (request) => {
    requireConfirmed(request.principal, deps.clock);
    const { principal, body, call } = request;
    const created = await deps.subscriptions.createSubscription(
      { ...body, ...actingOwner(request), companyClass: companyClassOf(principal.companyClass) },
      call,
    );
    const subscription = presentSubscription(created.subscription);
    const json = {
      subscription,
      secret: requiredField(created.secret, 'a secret'),
    } satisfies z.input<typeof subscriptionCreated>;
    return { status: 201, headers: { location: `/partner-api/webhooks/${subscription.id}` }, json };
  });
}
