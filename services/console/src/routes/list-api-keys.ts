import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { apiKeyPage } from '@partner/proto-contracts/public-api/api-key-management';
import { listApiKeysOperation } from '@partner/proto-contracts/public-api/operations/api-keys';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { pageCursor } from '../page-cursor.js';
import { presentApiKey } from '../present-api-key.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/api-keys`: a page of the company's keys, newest first. A cursor only ever looks into the company's own. */
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
    const json = {
      keys: page.keys.map(presentApiKey),
      nextCursor: page.nextBeforeKeyId ?? null,
    } satisfies z.input<typeof apiKeyPage>;
    return { status: 200, json };
  });
}
