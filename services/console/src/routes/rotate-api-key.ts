import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { KEY_LIMITS } from '@partner/proto-contracts/resources/api-key/api-key';
import { rotateApiKeyOperation } from '@partner/proto-contracts/resources/api-key/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/**
 * `POST /partner-api/api-keys/{id}/rotate`: replaces a key and shows the new one, for the only time. The old key stays
 * valid for the overlap.
 */
export function rotateApiKey(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'rotateKey'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(rotateApiKeyOperation, async (request) => {
    const { params, body, call } = request;
    const { companyId, actor } = actingOwner(request);
    const keyId = pathId('key', params, 'API key');
    const overlapHours = body?.overlapHours ?? KEY_LIMITS.overlapHours.default;
    const rotated = await deps.access.rotateKey({ companyId, actor, keyId, overlapHours }, call);
    return forwardResource(201, rotated);
  });
}
