import type { Caller } from '@partner/proto-contracts/call';
import type { EndpointRequest } from '@partner/gateway-kit/http/endpoint';
import type { ClientOrigin, Owner, OwnerSession } from './sessions/session-store.js';

/** The part of a request that says who acts. */
export type OwnerRequest = Pick<
  EndpointRequest<OwnerSession, unknown, unknown>,
  'principal' | 'remoteAddress' | 'header' | 'call'
>;

export function clientOriginOf({
  remoteAddress,
  header,
}: Pick<OwnerRequest, 'remoteAddress' | 'header'>): ClientOrigin {
  return { remoteAddress, userAgent: header('user-agent') };
}

/** Returns an owner and the client of their request, as calls name them and the audit trail records them. */
export function callerOf(
  owner: Omit<Owner, 'companyName' | 'passwordVersion'>,
  { remoteAddress, userAgent }: ClientOrigin,
): Caller {
  const { companyId, companyClass, role, membershipId, displayName } = owner;
  const client = { remoteAddress, ...(userAgent !== undefined && { userAgent }) };
  return { kind: 'owner', companyId, companyClass, role, membershipId, displayName, ...client };
}

export function ownerCaller(request: Pick<OwnerRequest, 'principal' | 'remoteAddress' | 'header'>): Caller {
  return callerOf(request.principal, clientOriginOf(request));
}

export function ownerCall(request: OwnerRequest) {
  return { ...request.call, caller: ownerCaller(request) };
}
