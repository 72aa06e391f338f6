import type { Client } from '@connectrpc/connect';
import type { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import { setFaultsOperation } from '@partner/proto-contracts/resources/fault-script/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `PUT /partner-api/api-keys/{id}/faults`: replaces the fault script of a key of the company. */
export function setFaults(deps: {
  readonly sandbox: Pick<Client<typeof SandboxService>, 'setFaults'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(setFaultsOperation, async (request) => {
    const { params, body, call } = request;
    const { companyId, actor } = actingOwner(request);
    const keyId = pathId('key', params, 'API key');
    const script = await deps.sandbox.setFaults(
      { companyId, actor, keyId, scriptJson: JSON.stringify(body) },
      call,
    );
    return forwardResource(200, script);
  });
}
