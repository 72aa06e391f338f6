import type { Client } from '@connectrpc/connect';
import type { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import { listAuditEntriesOperation } from '@partner/proto-contracts/resources/audit-entry/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pageCursor } from '../page-cursor.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/audit-entries`: a page of the company's audit trail, newest first. */
export function listAuditEntries(deps: {
  readonly audit: Pick<Client<typeof AuditService>, 'listAuditEntries'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listAuditEntriesOperation, async ({ principal, query, call }) => {
    const { action, limit } = query;
    const cursor = pageCursor('aud', query.cursor);
    const page = await deps.audit.listAuditEntries(
      {
        companyId: principal.companyId,
        limit,
        ...(cursor !== undefined && { beforeEntryId: cursor }),
        ...(action !== undefined && { action }),
      },
      call,
    );
    return forwardResource(200, page);
  });
}
