import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { retryDeliveryOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/deliveries/{id}/retry`: makes the next scheduled attempt due now and returns the delivery. */
export function retryDelivery(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'retryDelivery'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(retryDeliveryOperation, async (request) => {
    const { params, call } = request;
    const deliveryId = pathId('dlv', params, 'webhook delivery');
    const retried = await deps.deliveries.retryDelivery({ ...actingOwner(request), deliveryId }, call);
    return forwardResource(202, retried);
  });
}
