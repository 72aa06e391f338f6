import { isStillOwner, type OwnerCheckDeps } from './is-still-owner.js';
import type { OwnerSession, SessionStore } from './session-store.js';

/**
 * Makes the question whether a session goes on, for what is open for long: it prolongs nothing, and asks as seldom as requests do
 * whether the owner still is one. Throws when Redis, or job-state once it has to be asked, does not answer.
 */
export function createSessionQuestion(
  deps: OwnerCheckDeps & { readonly sessions: Pick<SessionStore, 'look'>; readonly rpcTimeoutMs: number },
): (session: Pick<OwnerSession, 'id'>) => Promise<boolean> {
  return async ({ id }) => {
    const session = await deps.sessions.look(id);
    return session !== undefined && isStillOwner(deps, session, { timeoutMs: deps.rpcTimeoutMs });
  };
}
