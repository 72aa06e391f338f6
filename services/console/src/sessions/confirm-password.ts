import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { LoginAttempt, LoginAttempts } from './login-attempts.js';
import type { ClientOrigin, OwnerSession, SessionStore } from './session-store.js';
import type { SessionTrail } from './session-trail.js';
import type { VerifyPassword } from './verify-password.js';

/** Dependencies of a confirmation. */
export interface ConfirmPasswordDeps {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly sessions: Pick<SessionStore, 'confirm' | 'end'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
  readonly verifyPassword: VerifyPassword;
  readonly trail: Pick<SessionTrail, 'record'>;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Confirms a session with its owner's password and returns the updated session. Fails with `password_wrong`, and with
 * `rate_limited` after too many failures in this session: a client without a session cannot exhaust its limit. Fails with
 * `unauthenticated` if the session has ended, or if the person is no longer an owner, which ends it. The audit entry is
 * written first, so that no confirmation is unrecorded. Only wrong passwords stay counted.
 */
export async function confirmPassword(
  deps: ConfirmPasswordDeps,
  { session, password, origin }: { session: OwnerSession; password: string; origin: ClientOrigin },
  call: CallOptions,
): Promise<OwnerSession> {
  const { companyId, membershipId } = session;
  const line = { companyId, membershipId, remoteAddress: origin.remoteAddress };
  const attempts: LoginAttempt[] = [];
  let mustCount = false;
  try {
    attempts.push(await deps.attempts.beginKnown(`session ${session.id}`));
    const asked = { companyId, membershipId, withPasswordHash: true };
    const { person } = await deps.operations.callInternal(findPersonOperation, asked, call);
    if (person?.role !== session.role) {
      await deps.sessions.end(session);
      throw noSession();
    }
    if (!(await deps.verifyPassword(clientNetwork(origin.remoteAddress), password, person.passwordHash))) {
      mustCount = true;
      deps.logger.warn({ ...line, outcome: 'wrong' }, 'session.confirmation_concluded');
      throw new ServiceError('password_wrong', 'the password is wrong');
    }
    await deps.trail.record(
      { change: 'confirmed', owner: session, publicId: session.publicId, origin },
      call,
    );
    const confirmedUntil = await deps.sessions.confirm(session.id);
    if (confirmedUntil === undefined) throw noSession();
    deps.logger.info({ ...line, outcome: 'confirmed' }, 'session.confirmation_concluded');
    return { ...session, confirmedUntil };
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'rate_limited') {
      mustCount = true;
      deps.logger.warn({ ...line, outcome: 'limited' }, 'session.confirmation_concluded');
    }
    throw error;
  } finally {
    // An attempt that cannot be removed stays counted until its span ends; the response is the same.
    if (!mustCount) await Promise.allSettled(attempts.map((attempt) => attempt.forget()));
  }
}

function noSession(): ServiceError {
  return new ServiceError('unauthenticated', 'the session has ended; sign in with POST /partner-api/session');
}
