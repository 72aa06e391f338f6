import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { revokeApiKeyOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `DELETE /partner-api/api-keys/{id}`: revokes a key of the company permanently. Idempotent. */
export function revokeApiKey(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'revokeKey'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(revokeApiKeyOperation, async (request) => {
    const { params, call } = request;
    const { companyId, actor } = actingOwner(request);
    await deps.access.revokeKey({ companyId, actor, keyId: pathId('key', params, 'API key') }, call);
    return { status: 204 };
  });
}
