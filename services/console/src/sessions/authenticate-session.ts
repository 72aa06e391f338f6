import { ServiceError } from '@partner/runtime/service-error';
import type { SessionCookie } from './session-cookie.js';
import type { OwnerSession, SessionStore } from './session-store.js';

/**
 * Finds the session that a request's cookie stands for and begins its idle time anew. Fails with `unauthenticated` when
 * there is none, whatever else the request carries (an API key is no session), and with `unavailable` when Redis can not
 * be asked.
 */
export async function authenticateSession(
  deps: { readonly sessions: Pick<SessionStore, 'find'>; readonly cookie: Pick<SessionCookie, 'read'> },
  request: { header(name: string): string | undefined },
): Promise<OwnerSession> {
  const token = deps.cookie.read(request.header('cookie'));
  const session = token === undefined ? undefined : await deps.sessions.find(token);
  if (session === undefined) {
    throw new ServiceError('unauthenticated', 'there is no session; sign in with POST /partner-api/session');
  }
  return session;
}
