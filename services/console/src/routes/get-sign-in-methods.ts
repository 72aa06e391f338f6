import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { getSignInMethodsOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { requiredField } from '../required-field.js';
import type { ProviderDeps } from '../sessions/provider-sign-in.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/sign-in-methods`: how the owner can sign in. */
export function getSignInMethods(
  deps: Pick<ProviderDeps, 'identityProvider'> & {
    readonly access: Pick<Client<typeof AccessService>, 'getSignInMethods'>;
  },
): AnyEndpoint<OwnerSession> {
  return serveOperation(getSignInMethodsOperation, async ({ principal, call }) => {
    const { companyId, membershipId } = principal;
    const { identityProvider: provider } = deps;
    const { hasPassword, linkedAt } = await deps.access.getSignInMethods(
      { companyId, membershipId, ...(provider !== undefined && { issuer: provider.issuer }) },
      call,
    );
    return {
      status: 200,
      json: {
        hasPassword: requiredField(hasPassword, 'has_password'),
        provider:
          provider === undefined
            ? null
            : {
                name: provider.name,
                linkedAt: linkedAt === undefined ? null : formatDateTime(timestampDate(linkedAt)),
              },
      },
    };
  });
}
