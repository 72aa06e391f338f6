import { findSignInMethodsOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { getSignInMethodsOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import type { OperationClient } from '@partner/kernel/amqp/operation-client';
import { ownerCaller } from '../acting-owner.js';
import type { ProviderDeps } from '../sessions/provider-sign-in.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/sign-in-methods`: how the owner can sign in. */
export function getSignInMethods(
  deps: Pick<ProviderDeps, 'identityProvider'> & {
    readonly operations: Pick<OperationClient, 'callInternal'>;
  },
): AnyEndpoint<OwnerSession> {
  return serveOperation(getSignInMethodsOperation, async (request) => {
    const { identityProvider: provider } = deps;
    const { hasPassword, linkedAt } = await deps.operations.callInternal(
      findSignInMethodsOperation,
      { issuer: provider?.issuer },
      { ...request.call, caller: ownerCaller(request) },
    );
    return {
      status: 200,
      json: {
        hasPassword,
        provider: provider === undefined ? null : { name: provider.name, linkedAt },
      },
    };
  });
}
