import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { getSecondFactorOperation } from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/second-factor`: whether sign-in asks for a code. */
export function getSecondFactor(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'getSecondFactor'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getSecondFactorOperation, async ({ principal, call }) => {
    const { companyId, membershipId } = principal;
    return forwardResource(200, await deps.access.getSecondFactor({ companyId, membershipId }, call));
  });
}
