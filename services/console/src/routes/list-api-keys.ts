import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { listApiKeysOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, pageCursors } from '@partner/gateway-kit/page-cursor';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/api-keys`: a page of the company's keys, newest first. A cursor only reads the company's own keys.
 */
export function listApiKeys(
  deps: PageCursorDeps & { readonly access: Pick<Client<typeof AccessService>, 'listKeys'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(listApiKeysOperation, async ({ principal, query, call }) => {
    const { companyId } = principal;
    const cursors = pageCursors(deps, { list: 'api-keys', prefix: 'key', companyId });
    const cursor = cursors.idOf(query.cursor);
    const page = await deps.access.listKeys(
      {
        companyId,
        limit: query.limit,
        ...(cursor !== undefined && { beforeKeyId: cursor }),
      },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}
