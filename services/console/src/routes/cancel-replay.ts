import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { cancelReplayOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `DELETE /partner-api/replays/{id}`: stops a bulk replay or back-fill. Idempotent. */
export function cancelReplay(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'cancelBulkReplay'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(cancelReplayOperation, async (request) => {
    const { params, call } = request;
    const replayId = pathId('rpl', params, 'bulk replay');
    const replay = await deps.deliveries.cancelBulkReplay({ ...actingOwner(request), replayId }, call);
    return forwardResource(200, replay);
  });
}
