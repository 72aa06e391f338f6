import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { beginSecondFactorOperation } from '@partner/proto-contracts/resources/second-factor/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/second-factor`: creates the secret for an authenticator app. */
export function beginSecondFactor(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'beginSecondFactor'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(beginSecondFactorOperation, async ({ principal, call }) => {
    const { companyId, membershipId } = principal;
    return forwardResource(200, await deps.access.beginSecondFactor({ companyId, membershipId }, call));
  });
}
