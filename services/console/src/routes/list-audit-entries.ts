import type { Client } from '@connectrpc/connect';
import type { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/page-cursor';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/audit-entries`: a page of the company's audit trail, newest first. */
export function listAuditEntries(
  deps: PageCursorDeps & { readonly audit: Pick<Client<typeof AuditService>, 'listAuditEntries'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(listAuditEntriesOperation, async ({ principal, query, call }) => {
    const { action, limit } = query;
    const { companyId } = principal;
    const cursors = pageCursors(deps, { list: 'audit-entries', prefix: 'aud', companyId });
    const cursor = cursors.idOf(query.cursor);
    const page = await deps.audit.listAuditEntries(
      {
        companyId,
        limit,
        ...(cursor !== undefined && { beforeEntryId: cursor }),
        ...(action !== undefined && { action }),
      },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}
