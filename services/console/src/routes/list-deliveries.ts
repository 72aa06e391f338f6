import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { listDeliveriesOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pageCursor } from '../page-cursor.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/webhooks/{id}/deliveries`: a page of a subscription's deliveries, newest first. A cursor is the
 * last delivery of the previous page, and only reads the subscription in the path.
 */
export function listDeliveries(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'listDeliveries'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listDeliveriesOperation, async ({ principal, params, query, call }) => {
    const { limit, status, event, from, to, resourceId } = query;
    const cursor = pageCursor('dlv', query.cursor);
    const page = await deps.deliveries.listDeliveries(
      {
        companyId: principal.companyId,
        subscriptionId: pathId('whk', params, 'webhook subscription'),
        limit,
        ...(cursor !== undefined && { beforeDeliveryId: cursor }),
        ...(status !== undefined && { state: status }),
        ...(event !== undefined && { event }),
        ...(from !== undefined && { from: timestampFromDate(new Date(from)) }),
        ...(to !== undefined && { to: timestampFromDate(new Date(to)) }),
        ...(resourceId !== undefined && { resourceId }),
      },
      call,
    );
    return forwardResource(200, page);
  });
}
