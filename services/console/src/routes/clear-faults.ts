import type { Client } from '@connectrpc/connect';
import type { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import { clearFaultsOperation } from '@partner/proto-contracts/resources/fault-script/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { actingOwner } from '../acting-owner.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `DELETE /partner-api/api-keys/{id}/faults`: removes the fault script of a key of the company. Idempotent. */
export function clearFaults(deps: {
  readonly sandbox: Pick<Client<typeof SandboxService>, 'clearFaults'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(clearFaultsOperation, async (request) => {
    const { params, call } = request;
    const { companyId, actor } = actingOwner(request);
    await deps.sandbox.clearFaults({ companyId, actor, keyId: pathId('key', params, 'API key') }, call);
    return { status: 204 };
  });
}
