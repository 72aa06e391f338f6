import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import { ServiceError } from '@partner/kernel/process/service-error';
import { clientOriginOf, type OwnerRequest } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { hasReason } from '../refusals.js';
import { countFailures } from './login-attempts.js';
import type { OwnerSession } from './session-store.js';

/**
 * Confirms the session of a request with its owner's password and returns the updated session. Fails with `password_wrong`, and with
 * `rate_limited` after too many failures in this session: a client without a session cannot exhaust its limit. Fails with
 * `unauthenticated` if the session has ended, or if the person is no longer an owner, which ends it. Only wrong passwords stay counted.
 */
export async function confirmPassword(
  deps: ConsoleDeps,
  request: OwnerRequest,
  password: string,
): Promise<OwnerSession> {
  const { principal: session, remoteAddress, call } = request;
  const { companyId, membershipId } = session;
  const refuse = (outcome: string) =>
    deps.logger.warn({ companyId, membershipId, remoteAddress, outcome }, 'session.confirmation_concluded');
  return countFailures(['password_wrong', 'rate_limited'], async (begin) => {
    await begin(deps.attempts.beginKnown(`session ${session.id}`));
    const asked = { companyId, membershipId, withPasswordHash: true };
    const { person } = await deps.operations.callInternal(findPersonOperation, asked, call);
    if (person?.role !== session.role) {
      await deps.sessions.end(session);
      throw sessionEnded();
    }
    if (!(await deps.verifyPassword(clientNetwork(remoteAddress), password, person.passwordHash))) {
      refuse('wrong');
      throw new ServiceError('password_wrong', 'the password is wrong');
    }
    return recordConfirmation(deps, request);
  }).catch((error: unknown) => {
    if (hasReason(error, 'rate_limited')) refuse('limited');
    throw error;
  });
}

/**
 * Confirms the session of a request after a proof: of the password, or of the identity provider `issuer`. The audit entry is written
 * first, so that no confirmation is unrecorded. Fails with `unauthenticated` if the session has ended meanwhile.
 */
export async function recordConfirmation(
  deps: ConsoleDeps,
  request: OwnerRequest,
  issuer?: string,
): Promise<OwnerSession> {
  const { principal: session, remoteAddress, call } = request;
  const { companyId, membershipId } = session;
  await deps.trail.record({ change: 'confirmed', session, origin: clientOriginOf(request), issuer }, call);
  const confirmedUntil = await deps.sessions.confirm(session.id);
  if (confirmedUntil === undefined) throw sessionEnded();
  const line = { companyId, membershipId, remoteAddress, outcome: 'confirmed' };
  deps.logger.info(line, 'session.confirmation_concluded');
  return { ...session, confirmedUntil };
}

function sessionEnded(): ServiceError {
  return new ServiceError('unauthenticated', 'the session has ended; sign in with POST /partner-api/session');
}
