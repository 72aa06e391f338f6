import type { Client } from '@connectrpc/connect';
import type { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { deliveryPage } from '@partner/proto-contracts/public-api/console';
import { listDeliveriesOperation } from '@partner/proto-contracts/public-api/operations/console';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import { isId } from '@partner/runtime/ids';
import { ServiceError } from '@partner/runtime/service-error';
import type { z } from 'zod';
import { pathId } from '../path-id.js';
import { deliveryStateOf, presentDelivery } from '../present-delivery.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/webhooks/{id}/deliveries`: a page of a subscription's deliveries, newest first. A cursor is the last
 * delivery of the page before, and only ever looks into the subscription that the path names.
 */
export function listDeliveries(deps: {
  readonly subscriptions: Pick<Client<typeof SubscriptionService>, 'listDeliveries'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listDeliveriesOperation, async ({ principal, params, query, call }) => {
    const { cursor, limit, status } = query;
    if (cursor !== undefined && !isId('dlv', cursor)) {
      throw new ServiceError('cursor_invalid', 'cursor: must be a nextCursor of this list', {
        details: [{ path: 'cursor', message: 'must be a nextCursor of this list' }],
      });
    }
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const page = await deps.subscriptions.listDeliveries(
      {
        companyId: principal.companyId,
        subscriptionId,
        limit,
        ...(cursor !== undefined && { beforeDeliveryId: cursor }),
        ...(status !== undefined && { state: deliveryStateOf(status) }),
      },
      call,
    );
    const deliveries = page.deliveries.map(presentDelivery);
    const json = {
      deliveries,
      nextCursor: page.hasMore === true ? (deliveries.at(-1)?.id ?? null) : null,
    } satisfies z.input<typeof deliveryPage>;
    return { status: 200, json };
  });
}
