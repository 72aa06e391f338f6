import { deleteSessionOperation } from '@partner/proto-contracts/public-api/operations/session';
import { type AnyEndpoint, serveOperation } from '@partner/runtime/http/endpoint';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `DELETE /partner-api/session`: signs out. The token is of no use to anybody afterwards. */
export function deleteSession(deps: {
  readonly sessions: Pick<SessionStore, 'end'>;
  readonly cookie: Pick<SessionCookie, 'clear'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(deleteSessionOperation, async ({ principal }) => {
    await deps.sessions.end(principal.id);
    return { status: 204, headers: { 'set-cookie': deps.cookie.clear() } };
  });
}
