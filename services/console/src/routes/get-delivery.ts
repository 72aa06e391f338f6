import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getDeliveryOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/deliveries/{id}`: one delivery with its attempts and body. The id is the delivery's, or that of any
 * attempt, which receivers log as `x-svc-delivery-id`.
 */
export function getDelivery(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getDelivery'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getDeliveryOperation, async ({ principal, params, call }) => {
    const deliveryId = pathId('dlv', params, 'webhook delivery');
    const found = await deps.deliveries.getDelivery({ companyId: principal.companyId, deliveryId }, call);
    return forwardResource(200, found);
  });
}
