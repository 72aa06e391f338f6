import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { listReplaysOperation } from '@partner/proto-contracts/resources/bulk-replay/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/page-cursor';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/webhooks/{id}/replays`: a page of a subscription's bulk replays and back-fills, newest first. */
export function listReplays(
  deps: PageCursorDeps & { readonly deliveries: Pick<Client<typeof DeliveryService>, 'listBulkReplays'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(listReplaysOperation, async ({ principal, params, query, call }) => {
    const { companyId } = principal;
    const cursors = pageCursors(deps, { list: 'replays', prefix: 'rpl', companyId });
    const cursor = cursors.idOf(query.cursor);
    const page = await deps.deliveries.listBulkReplays(
      {
        companyId,
        subscriptionId: pathId('whk', params, 'webhook subscription'),
        limit: query.limit,
        ...(cursor !== undefined && { beforeReplayId: cursor }),
      },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}
