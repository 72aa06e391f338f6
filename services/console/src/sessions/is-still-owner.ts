import type { CallOptions, Client } from '@connectrpc/connect';
import type { AccessService } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import type { Logger } from '@partner/kernel/logger';
import { OWNER_CHECKED_EVERY_MS, type OwnerSession, type SessionStore } from './session-store.js';

/** What the question works with. */
export interface OwnerCheckDeps {
  readonly access: Pick<Client<typeof AccessService>, 'getOwner'>;
  readonly sessions: Pick<SessionStore, 'claimOwnerCheck' | 'returnOwnerCheck' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly clock: () => Date;
}

/**
 * Says whether the owner of a session still is one, with the password that the session was begun with, and ends the session when
 * not: a password that is set anew shuts out whoever knew the last. job-state is asked once a minute for each
 * session; other requests go by the last answer. Throws when it has to be asked and does not answer: the next request then asks.
 * A client that leaves does not call the question off, since its other requests go by the answer.
 */
export async function isStillOwner(
  deps: OwnerCheckDeps,
  session: OwnerSession,
  { signal: _signal, ...patient }: CallOptions,
): Promise<boolean> {
  const age = deps.clock().getTime() - session.ownerCheckedAt.getTime();
  if (age < OWNER_CHECKED_EVERY_MS || !(await deps.sessions.claimOwnerCheck(session.id))) return true;
  const { companyId, membershipId } = session;
  const { isOwner, passwordVersion } = await deps.access
    .getOwner({ companyId, membershipId }, patient)
    .catch(async (error: unknown) => {
      await deps.sessions.returnOwnerCheck(session.id);
      throw error;
    });
  if (isOwner === true && passwordVersion === session.passwordVersion) return true;
  await deps.sessions.end(session);
  const cause = isOwner === true ? 'password_set' : 'no_owner';
  deps.logger.warn({ companyId, membershipId, sessionId: session.publicId, cause }, 'session.owner_gone');
  return false;
}
