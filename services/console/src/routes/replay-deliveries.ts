import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { replayDeliveriesOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/webhooks/{id}/replay`: starts a bulk replay and returns it; with `preview` it only returns what it
 * would replay.
 */
export function replayDeliveries(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'previewBulkReplay' | 'createBulkReplay'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(replayDeliveriesOperation, async (request) => {
    const { params, body, call } = request;
    const owner = actingOwner(request);
    const { states, from, to, event, perMinute, preview } = body;
    const selected = {
      companyId: owner.companyId,
      subscriptionId: pathId('whk', params, 'webhook subscription'),
      selection: {
        states,
        from: timestampFromDate(new Date(from)),
        to: timestampFromDate(new Date(to)),
        ...(event !== undefined && { event }),
      },
      perMinute,
    };
    if (preview) return forwardResource(200, await deps.deliveries.previewBulkReplay(selected, call));
    const replay = await deps.deliveries.createBulkReplay({ ...selected, ...owner }, call);
    return forwardResource(202, replay);
  });
}
