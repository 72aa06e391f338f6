import type { Operation } from '@partner/proto-contracts/api/operation';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/operations/page-cursor';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * Serves a list that job-state pages by the id of a page's last item. A cursor is that id, signed, and only reads this list of the
 * company.
 */
export function listPage<Query extends { readonly cursor?: string | undefined }>(
  operation: Operation<Query, unknown>,
  page: Pick<Parameters<typeof pageCursors>[1], 'list' | 'prefix'>,
  deps: PageCursorDeps & { readonly forwarding: Forwarding<OwnerSession> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(operation, async (request) => {
    const cursors = pageCursors(deps, { ...page, companyId: request.principal.companyId });
    const after = cursors.idOf(request.query.cursor);
    const given = after === undefined ? {} : { after };
    const reply = await callFor(operation, request, deps.forwarding, given);
    return responseTo(operation, request, { ...reply, json: cursors.pageOf(reply.json) });
  });
}
