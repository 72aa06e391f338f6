import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { replayDeliveryOperation } from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/deliveries/{id}/replay`: queues a new delivery of the same event and returns it. */
export function replayDelivery(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'replayDelivery'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(replayDeliveryOperation, async (request) => {
    const { params, call } = request;
    const deliveryId = pathId('dlv', params, 'webhook delivery');
    const replay = await deps.deliveries.replayDelivery({ ...actingOwner(request), deliveryId }, call);
    return forwardResource(202, replay);
  });
}
