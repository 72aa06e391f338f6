import type { Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { resetColleagueSecondFactorOperation } from '@partner/proto-contracts/resources/colleague/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { actingOwner } from '../acting-owner.js';
import { pathId } from '../path-id.js';
import { endSessionsOf } from '../sessions/end-sessions-of.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `DELETE /partner-api/colleagues/{id}/second-factor`: deletes a person's second factor, and ends their sessions. */
export function resetColleagueSecondFactor(deps: {
  readonly access: Pick<Client<typeof AccessService>, 'resetColleagueSecondFactor'>;
  readonly sessions: Pick<SessionStore, 'list' | 'end'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(resetColleagueSecondFactorOperation, async (request) => {
    const membershipId = pathId('mem', request.params, 'colleague');
    const { companyId, actor } = actingOwner(request);
    await deps.access.resetColleagueSecondFactor({ companyId, actor, membershipId }, request.call);
    await endSessionsOf(deps.sessions, membershipId);
    return { status: 204 };
  });
}
