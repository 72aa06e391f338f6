import type { Client } from '@connectrpc/connect';
import type { AuditService } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';
import type { auditPage } from '@partner/proto-contracts/public-api/audit-trail';
import { listAuditEntriesOperation } from '@partner/proto-contracts/public-api/operations/audit';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { pageCursor } from '../page-cursor.js';
import { presentAuditEntry } from '../present-audit-entry.js';
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
    const json = {
      entries: page.entries.map(presentAuditEntry),
      nextCursor: page.nextBeforeEntryId ?? null,
    } satisfies z.input<typeof auditPage>;
    return { status: 200, json };
  });
}
