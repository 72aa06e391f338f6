import { listSessionsOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { shownOwnSession } from '../sessions/session-resource.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `GET /partner-api/sessions`: the owner's active sessions. */
export function listSessions(deps: {
  readonly sessions: Pick<SessionStore, 'list'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listSessionsOperation, async ({ principal }) => {
    const sessions = await deps.sessions.list(principal.membershipId);
    return {
      status: 200,
      json: { sessions: sessions.map((session) => shownOwnSession(session, principal)) },
    };
  });
}
