import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getReplayOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/replays/{id}`: one bulk replay or back-fill with its progress. */
export function getReplay(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getBulkReplay'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getReplayOperation, async ({ principal, params, call }) => {
    const replayId = pathId('rpl', params, 'bulk replay');
    const replay = await deps.deliveries.getBulkReplay({ companyId: principal.companyId, replayId }, call);
    return forwardResource(200, replay);
  });
}
