import { replacePasswordOperation } from '@partner/proto-contracts/internal/access/passwords';
import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { callerOf } from '../acting-owner.js';
import { confirmPassword, type ConfirmPasswordDeps } from './confirm-password.js';
import { endSessionsOf } from './end-sessions-of.js';
import { checkNewPassword } from './new-password-rule.js';
import type { ClientOrigin, OwnerSession, SessionStore } from './session-store.js';
import type { SessionTrail } from './session-trail.js';
import type { HashPassword } from './verify-password.js';

/** Dependencies of a change of password. */
export interface ChangePasswordDeps extends ConfirmPasswordDeps {
  readonly sessions: Pick<SessionStore, 'confirm' | 'create' | 'end' | 'list'>;
  readonly trail: Pick<SessionTrail, 'record' | 'note'>;
  readonly hashPassword: HashPassword;
}

/**
 * Changes the password of a session's owner, and returns a new session in place of the given one. All other sessions of the
 * owner end: at once, or within a minute if Redis fails in between or a login with the former password is in flight. Fails as
 * {@link confirmPassword} does, and with `invalid_argument` for a password that is a name of its owner.
 */
export async function changePassword(
  deps: ChangePasswordDeps,
  request: {
    readonly session: OwnerSession;
    readonly currentPassword: string;
    readonly newPassword: string;
    readonly origin: ClientOrigin;
  },
  call: CallOptions,
): Promise<{ readonly token: string; readonly session: OwnerSession }> {
  const { session, currentPassword, newPassword, origin } = request;
  const { companyId, membershipId, passwordVersion: formerPasswordVersion } = session;
  await confirmPassword(deps, { session, password: currentPassword, origin }, call);
  const asked = { companyId, membershipId, withPasswordHash: true };
  const { person } = await deps.operations.callInternal(findPersonOperation, asked, call);
  checkNewPassword(newPassword, { ...session, email: person?.email });
  const passwordHash = await deps.hashPassword(clientNetwork(origin.remoteAddress), newPassword);
  const { passwordVersion } = await deps.operations.callInternal(
    replacePasswordOperation,
    { formerPasswordVersion, passwordHash },
    { ...call, caller: callerOf(session, origin) },
  );
  const started = await deps.sessions.create({ ...session, passwordVersion }, origin);
  await endSessionsOf(deps.sessions, membershipId, started.session.id);
  const { publicId } = started.session;
  await deps.trail.note({ change: 'started', owner: session, publicId, origin }, call);
  return started;
}
