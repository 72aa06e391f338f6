import type { Actor as ActorMessage } from '@partner/proto-contracts/gen/partner/audit/v1/audit_service_pb';

/** An owner on whose behalf a change is made, and from where, or an operator, who has a name only. */
export interface Actor {
  /** Undefined: an operator. */
  readonly membershipId: string | undefined;
  /** Undefined: as it is known of the membership. */
  readonly displayName?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly userAgent?: string | undefined;
}

/**
 * The owner or operator whom a request names. A caller of an earlier version names the membership alone; undefined when a
 * request names nobody.
 */
export function actorOf(request: {
  readonly actor?: ActorMessage | undefined;
  readonly actingMembershipId?: string | undefined;
}): Actor | undefined {
  const { actor, actingMembershipId } = request;
  const membershipId = actor?.membershipId ?? actingMembershipId;
  if (membershipId === undefined && actor?.displayName === undefined) return undefined;
  return {
    membershipId,
    displayName: actor?.displayName,
    remoteAddress: actor?.remoteAddress,
    userAgent: actor?.userAgent,
  };
}
