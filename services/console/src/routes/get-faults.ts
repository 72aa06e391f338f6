import type { Client } from '@connectrpc/connect';
import type { SandboxService } from '@partner/proto-contracts/gen/partner/sandbox/v1/sandbox_service_pb';
import { getFaultsOperation } from '@partner/proto-contracts/resources/fault-script/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/api-keys/{id}/faults`: the fault script of a key of the company. */
export function getFaults(deps: {
  readonly sandbox: Pick<Client<typeof SandboxService>, 'getFaults'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getFaultsOperation, async ({ principal, params, call }) => {
    const keyId = pathId('key', params, 'API key');
    const script = await deps.sandbox.getFaults({ companyId: principal.companyId, keyId }, call);
    return forwardResource(200, script);
  });
}
