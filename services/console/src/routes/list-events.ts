import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { listEventsOperation } from '@partner/proto-contracts/resources/event/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/page-cursor';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/events`: a page of the company's events, newest first. An empty list for a resource carries an
 * explanation, the same whether the resource exists or not.
 */
export function listEvents(
  deps: PageCursorDeps & { readonly deliveries: Pick<Client<typeof DeliveryService>, 'listEvents'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(listEventsOperation, async ({ principal, query, call }) => {
    const { limit, event, resourceId } = query;
    const { companyId } = principal;
    const cursors = pageCursors(deps, { list: 'events', prefix: 'evt', companyId });
    const cursor = cursors.idOf(query.cursor);
    const page = await deps.deliveries.listEvents(
      {
        companyId,
        limit,
        ...(cursor !== undefined && { beforeEventId: cursor }),
        ...(event !== undefined && { event }),
        ...(resourceId !== undefined && { resourceId }),
      },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}
