import { deleteSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';
import type { SessionTrail } from '../sessions/session-trail.js';

/** `DELETE /partner-api/session`: signs out. The token is invalid afterwards. */
export function deleteSession(deps: {
  readonly sessions: Pick<SessionStore, 'end'>;
  readonly trail: Pick<SessionTrail, 'note'>;
  readonly cookie: Pick<SessionCookie, 'clear'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(deleteSessionOperation, async (request) => {
    const { principal: owner, call } = request;
    if (await deps.sessions.end(owner)) {
      const origin = clientOriginOf(request);
      await deps.trail.note({ change: 'ended', owner, publicId: owner.publicId, origin }, call);
    }
    return { status: 204, headers: { 'set-cookie': deps.cookie.clear() } };
  });
}
