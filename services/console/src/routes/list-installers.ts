import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { listInstallersOperation } from '@partner/proto-contracts/resources/installer/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pageCursor } from '../page-cursor.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/installers`: a page of the companies that a key of this one can be bound to. */
export function listInstallers(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'listContractedInstallers'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listInstallersOperation, async ({ principal, query, call }) => {
    const cursor = pageCursor('cmp', query.cursor);
    const page = await deps.access.listContractedInstallers(
      {
        companyId: principal.companyId,
        limit: query.limit,
        ...(cursor !== undefined && { afterCompanyId: cursor }),
      },
      call,
    );
    return forwardResource(200, page);
  });
}
