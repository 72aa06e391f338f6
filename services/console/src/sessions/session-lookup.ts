import { isStillOwner, type OwnerCheckDeps } from './is-still-owner.js';
import type { OwnerSession, SessionStore } from './session-store.js';

/**
 * Creates the check whether a session is still active, for long-lived streams. It does not reset the idle time, and
 * checks the owner as rarely as requests do. Throws if Redis, or job-state when it is called, does not respond.
 */
export function createSessionLookup(
  deps: OwnerCheckDeps & { readonly sessions: Pick<SessionStore, 'peek'>; readonly rpcTimeoutMs: number },
): (session: Pick<OwnerSession, 'id'>) => Promise<boolean> {
  return async ({ id }) => {
    const session = await deps.sessions.peek(id);
    return session !== undefined && isStillOwner(deps, session, { timeoutMs: deps.rpcTimeoutMs });
  };
}
