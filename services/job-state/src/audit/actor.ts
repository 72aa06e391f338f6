import type { Caller } from '@partner/proto-contracts/call';
import { ServiceError } from '@partner/kernel/process/service-error';

/** The owner on whose behalf a change is made, with their origin, or an operator, who only has a name. */
export interface Actor {
  /** Undefined: an operator. */
  readonly membershipId: string | undefined;
  /** Undefined: the name of the membership. */
  readonly displayName?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly userAgent?: string | undefined;
}

/** Returns who calls, as the audit trail names them. Fails with `permission_denied` for a caller who is not authenticated. */
export function callingActor(caller: Caller): Actor {
  switch (caller.kind) {
    case 'owner':
      return caller;
    case 'key': {
      const { keyId, remoteAddress, userAgent } = caller;
      return { membershipId: undefined, displayName: `API key ${keyId}`, remoteAddress, userAgent };
    }
    case 'operator':
      return { membershipId: undefined, displayName: `operator: ${caller.name.slice(0, 100)}` };
    case 'service':
      throw new ServiceError('permission_denied', 'caller: must be authenticated');
  }
}

/** Returns the name of the operator who calls. Fails with `permission_denied` for any other caller. */
export function callingOperator(caller: Caller): string {
  if (caller.kind === 'operator') return caller.name;
  throw new ServiceError('permission_denied', `caller: must be an operator, not a ${caller.kind}`);
}

/** Returns the owner who calls, as an actor too. Fails with `permission_denied` for any other caller. */
export function callingOwner(caller: Caller): Extract<Caller, { readonly kind: 'owner' }> {
  if (caller.kind !== 'owner') {
    throw new ServiceError('permission_denied', `caller: must be an owner, not a ${caller.kind}`);
  }
  return caller;
}

/** Returns the company that a call is made for. Fails with `permission_denied` for a caller without one. */
export function callingCompany(caller: Caller): string {
  const companyId = caller.kind === 'service' ? undefined : caller.companyId;
  if (companyId !== undefined) return companyId;
  throw new ServiceError('permission_denied', `caller: must name a company, not a ${caller.kind}`);
}
