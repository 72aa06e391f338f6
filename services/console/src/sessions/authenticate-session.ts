import { deleteSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { streamChangesOperation } from '@partner/proto-contracts/resources/change-stream/operations';
import type { AuthenticationRequest } from '@partner/gateway-kit/auth/surface-request';
import { ServiceError } from '@partner/kernel/process/service-error';
import { isStillOwner, type OwnerCheckDeps } from './is-still-owner.js';
import type { SessionCookie } from './session-cookie.js';
import type { OwnerSession, SessionStore } from './session-store.js';

/**
 * Authenticates a request by its session cookie and resets the session's idle time. A stream of changes does not reset
 * it, because pages reopen it automatically. Fails with `unauthenticated` if there is no session or its owner is no
 * longer one, even with an API key. Fails with `unavailable` if Redis is down,
 * or job-state, which it calls once a minute. Signing out skips the call, so that it works while job-state is down.
 */
export async function authenticateSession(
  deps: OwnerCheckDeps & {
    readonly sessions: Pick<SessionStore, 'find'>;
    readonly cookie: Pick<SessionCookie, 'name' | 'read'>;
  },
  request: Pick<AuthenticationRequest, 'method' | 'path' | 'header' | 'call'>,
): Promise<OwnerSession> {
  const token = deps.cookie.read(request.header('cookie'));
  const prolongs = request.path !== streamChangesOperation.path;
  const session = token === undefined ? undefined : await deps.sessions.find(token, { prolongs });
  if (
    session === undefined ||
    !(isSigningOut(request) || (await isStillOwner(deps, session, request.call)))
  ) {
    const failure =
      token === undefined ? `the cookie ${deps.cookie.name} is required` : 'the session has ended';
    throw new ServiceError('unauthenticated', `${failure}; sign in with POST /partner-api/session`);
  }
  return session;
}

function isSigningOut({ method, path }: Pick<AuthenticationRequest, 'method' | 'path'>): boolean {
  return method === 'DELETE' && path === deleteSessionOperation.path;
}
