import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { removeColleagueOperation } from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { pathId } from '../path-id.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `DELETE /partner-api/colleagues/{id}`: ends a person's access and sessions. */
export function removeColleague(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'removeColleague'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(removeColleagueOperation, async (request) => {
    const membershipId = pathId('mem', request.params, 'colleague');
    const { companyId, actor } = actingOwner(request);
    await deps.access.removeColleague({ companyId, actor, membershipId }, request.call);
    await endSessionsOf(deps.sessions, membershipId);
    return { status: 204 };
  });
}
