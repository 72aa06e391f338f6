import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/page-cursor';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/installers`: a page of the companies that a key of this one can be bound to. */
export function listInstallers(
  deps: PageCursorDeps & { readonly access: Pick<Client<typeof AccessService>, 'listContractedInstallers'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(listInstallersOperation, async ({ principal, query, call }) => {
    const { companyId } = principal;
    const cursors = pageCursors(deps, { list: 'installers', prefix: 'cmp', companyId });
    const cursor = cursors.idOf(query.cursor);
    const page = await deps.access.listContractedInstallers(
      {
        companyId,
        limit: query.limit,
        ...(cursor !== undefined && { afterCompanyId: cursor }),
      },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}
