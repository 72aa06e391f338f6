import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { createApiKeyOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/api-keys`: creates a key of the company and shows it, for the only time. */
export function createApiKey(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'createKey'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(createApiKeyOperation, async (request) => {
    const { body, call } = request;
    const { companyId, actor } = actingOwner(request);
    const created = await deps.access.createKey({ ...body, companyId, actor }, call);
    return forwardResource(201, created);
  });
}
