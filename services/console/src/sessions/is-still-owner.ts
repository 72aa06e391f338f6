import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { OwnerSession, SessionStore } from './session-store.js';
import { OWNER_CHECKED_EVERY_MS } from './session-times.js';

/** Dependencies of the owner check. */
export interface OwnerCheckDeps {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly sessions: Pick<SessionStore, 'claimOwnerCheck' | 'returnOwnerCheck' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly clock: () => Date;
}

/**
 * Checks whether the person of a session still has the same role and password version; ends the session if not. So a new password
 * locks out everyone with the old one. It calls job-state once a minute per session; other requests use the last result.
 * Throws if the call fails; the next request then retries. The client's cancellation does not cancel the call, because
 * its other requests use the result.
 */
export async function isStillOwner(
  deps: OwnerCheckDeps,
  session: OwnerSession,
  { signal: _signal, ...patient }: CallOptions,
): Promise<boolean> {
  const age = deps.clock().getTime() - session.ownerCheckedAt.getTime();
  // An instant in the future was set by a clock that is ahead: the check is due.
  const isRecent = age >= 0 && age < OWNER_CHECKED_EVERY_MS;
  if (isRecent || !(await deps.sessions.claimOwnerCheck(session.id))) return true;
  const { companyId, membershipId } = session;
  const { person } = await deps.operations
    .callInternal(findPersonOperation, { companyId, membershipId }, patient)
    .catch(async (error: unknown) => {
      await deps.sessions.returnOwnerCheck(session.id);
      throw error;
    });
  const hasRole = person?.role === session.role;
  if (hasRole && person.passwordVersion === session.passwordVersion) return true;
  await deps.sessions.end(session);
  const cause = hasRole ? 'version_changed' : 'role_changed';
  deps.logger.warn({ companyId, membershipId, sessionId: session.publicId, cause }, 'session.owner_gone');
  return false;
}
