import type { EndpointRequest } from '@partner/gateway-kit/endpoint';
import { clientOriginOf } from './client-origin.js';
import type { ClientOrigin, Owner, OwnerSession } from './sessions/session-store.js';

/** An owner, and where a request of theirs comes from, as the audit trail records it. */
export function actorOf(
  { membershipId, displayName }: Pick<Owner, 'membershipId' | 'displayName'>,
  { remoteAddress, userAgent }: ClientOrigin,
) {
  return { membershipId, displayName, remoteAddress, ...(userAgent !== undefined && { userAgent }) };
}

/** For which company, and by which owner, a request changes something: the part that all such requests have in common. */
export function actingOwner(
  request: Pick<EndpointRequest<OwnerSession, unknown, unknown>, 'principal' | 'remoteAddress' | 'header'>,
) {
  const { companyId, membershipId } = request.principal;
  const actor = actorOf(request.principal, clientOriginOf(request));
  return { companyId, actingMembershipId: membershipId, actor };
}
