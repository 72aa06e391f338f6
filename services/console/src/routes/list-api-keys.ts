import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { listApiKeysOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pageCursor } from '../page-cursor.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `GET /partner-api/api-keys`: a page of the company's keys, newest first. A cursor only reads the company's own keys.
 */
export function listApiKeys(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'listKeys'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listApiKeysOperation, async ({ principal, query, call }) => {
    const cursor = pageCursor('key', query.cursor);
    const page = await deps.access.listKeys(
      {
        companyId: principal.companyId,
        limit: query.limit,
        ...(cursor !== undefined && { beforeKeyId: cursor }),
      },
      call,
    );
    return forwardResource(200, page);
  });
}
