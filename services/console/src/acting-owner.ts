import type { Caller } from '@partner/proto-contracts/call';
import type { EndpointRequest } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from './client-origin.js';
import type { ClientOrigin, Owner, OwnerSession } from './sessions/session-store.js';

/** Returns an owner and the client of their request, as the audit trail records them. */
function actorOf(
  { membershipId, displayName }: Pick<Owner, 'membershipId' | 'displayName'>,
  { remoteAddress, userAgent }: ClientOrigin,
) {
  return { membershipId, displayName, remoteAddress, ...(userAgent !== undefined && { userAgent }) };
}

/** Returns an owner and the client of their request, as calls name them. */
export function callerOf(
  { companyId, companyClass, role, ...owner }: Omit<Owner, 'companyName' | 'passwordVersion'>,
  origin: ClientOrigin,
): Caller {
  return { kind: 'owner', companyId, companyClass, role, ...actorOf(owner, origin) };
}

/** Returns the owner of a request, as calls name them. */
export function ownerCaller(
  request: Pick<EndpointRequest<OwnerSession, unknown, unknown>, 'principal' | 'remoteAddress' | 'header'>,
): Caller {
  return callerOf(request.principal, clientOriginOf(request));
}
