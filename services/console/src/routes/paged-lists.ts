import type { AnyOperation } from '@partner/proto-contracts/api/operation';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { callFor, type Forwarding, responseTo } from '@partner/gateway-kit/operations/forward-operation';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/operations/page-cursor';
import type { ConsoleOperation } from '@partner/proto-contracts/surfaces/console';

type Page = Pick<Parameters<typeof pageCursors>[1], 'list' | 'prefix'>;

/** A cursor of one list of deliveries also reads the others. */
const DELIVERIES: Page = { list: 'deliveries', prefix: 'dlv' };

const PAGES: Readonly<Partial<Record<ConsoleOperation['id'], Page>>> = {
  listCompanyDeliveries: DELIVERIES,
  listDeliveries: DELIVERIES,
  listReplays: { list: 'replays', prefix: 'rpl' },
  listEvents: { list: 'events', prefix: 'evt' },
  listApiKeys: { list: 'api-keys', prefix: 'key' },
  listInstallers: { list: 'installers', prefix: 'cmp' },
  listAuditEntries: { list: 'audit-entries', prefix: 'aud' },
};

/**
 * Serves the lists among these operations that job-state pages by the id of a page's last item. A cursor is that id, signed, and only
 * reads this list of the company.
 */
export function pagedLists<Principal extends { readonly companyId: string }>(
  deps: PageCursorDeps,
  forwarding: Forwarding<Principal>,
  operations: readonly AnyOperation[],
): readonly AnyEndpoint<Principal>[] {
  const pages = new Map<string, Page>(Object.entries(PAGES));
  return operations.flatMap((operation) => {
    const page = pages.get(operation.servedBy ?? operation.id);
    if (page === undefined) return [];
    return serveOperation<Principal, { readonly cursor?: string | undefined }, unknown>(
      operation,
      async (request) => {
        const cursors = pageCursors(deps, { ...page, companyId: request.principal.companyId });
        const after = cursors.idOf(request.query.cursor);
        const given = after === undefined ? {} : { after };
        const reply = await callFor(operation, request, forwarding, given);
        return responseTo(operation, request, { ...reply, json: cursors.pageOf(reply.json) });
      },
    );
  });
}
