import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { listReplaysOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pageCursor } from '../page-cursor.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks/{id}/replays`: a page of a subscription's bulk replays and back-fills, newest first. */
export function listReplays(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'listBulkReplays'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listReplaysOperation, async ({ principal, params, query, call }) => {
    const cursor = pageCursor('rpl', query.cursor);
    const page = await deps.deliveries.listBulkReplays(
      {
        companyId: principal.companyId,
        subscriptionId: pathId('whk', params, 'webhook subscription'),
        limit: query.limit,
        ...(cursor !== undefined && { beforeReplayId: cursor }),
      },
      call,
    );
    return forwardResource(200, page);
  });
}
