import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { setColleagueRoleOperation } from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `PATCH /partner-api/colleagues/{id}`: changes a person's role, and ends their sessions. */
export function setColleagueRole(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'setColleagueRole'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(setColleagueRoleOperation, async (request) => {
    const membershipId = pathId('mem', request.params, 'colleague');
    const { companyId, actor } = actingOwner(request);
    const { role } = request.body;
    const changed = await deps.access.setColleagueRole(
      { companyId, actor, membershipId, role },
      request.call,
    );
    await endSessionsOf(deps.sessions, membershipId);
    return forwardResource(200, changed);
  });
}
