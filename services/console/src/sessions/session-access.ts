import { isForViewers, VIEWER_REFUSAL } from '@partner/proto-contracts/api/roles';
import { findPersonOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { streamChangesOperation } from '@partner/proto-contracts/resources/change-stream/operations';
import { deleteSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import type { AuthenticationRequest } from '@partner/gateway-kit/auth/surface-request';
import type { AnyEndpoint } from '@partner/gateway-kit/http/endpoint';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Logger } from '@partner/kernel/telemetry/logger';
import type { SessionCookie } from './cookies.js';
import type { OwnerSession, SessionStore } from './session-store.js';
import { CONFIRMED_MS, OWNER_CHECKED_EVERY_MS } from './session-times.js';

interface OwnerCheckDeps {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly sessions: Pick<SessionStore, 'claimOwnerCheck' | 'returnOwnerCheck' | 'end'>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly clock: () => Date;
}

/**
 * Authenticates a request by its session cookie and resets the session's idle time. A stream of changes does not reset
 * it, because pages reopen it automatically. Fails with `unauthenticated` if there is no session or its owner is no
 * longer one, even with an API key. Fails with `unavailable` if Redis is down,
 * or job-state, which it calls once a minute. Signing out skips the call, so that it works while job-state is down.
 */
export async function authenticateSession(
  deps: OwnerCheckDeps & { readonly sessions: Pick<SessionStore, 'find'>; readonly cookie: SessionCookie },
  { method, path, header, call }: AuthenticationRequest,
): Promise<OwnerSession> {
  const token = deps.cookie.read(header('cookie'));
  const prolongs = path !== streamChangesOperation.path;
  const isSigningOut = method === 'DELETE' && path === deleteSessionOperation.path;
  const session = token === undefined ? undefined : await deps.sessions.find(token, { prolongs });
  if (session !== undefined && (isSigningOut || (await isStillOwner(deps, session, call)))) return session;
  const failure =
    token === undefined ? `the cookie ${deps.cookie.name} is required` : 'the session has ended';
  throw new ServiceError('unauthenticated', `${failure}; sign in with POST /partner-api/session`);
}

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

/** Fails with `permission_denied` if a viewer may not use the endpoint; the contract of its operation decides. */
export function checkRole({ role }: OwnerSession, endpoint: AnyEndpoint<OwnerSession>): void {
  if (role === 'viewer' && !isForViewers(endpoint)) {
    throw new ServiceError('permission_denied', VIEWER_REFUSAL);
  }
}

/**
 * Returns the endpoint with its rule of confirmation (`needsConfirmation` of its operation): unless the owner has entered the
 * password in the last 15 minutes, such a request fails with `confirmation_required` and does nothing.
 */
export function confirmedEndpoint(
  endpoint: AnyEndpoint<OwnerSession>,
  clock: () => Date,
): AnyEndpoint<OwnerSession> {
  const { needsConfirmation } = endpoint;
  if (needsConfirmation === undefined) return endpoint;
  return {
    ...endpoint,
    async handle(request) {
      if (needsConfirmation(request.body) && !isConfirmed(request.principal, clock())) {
        throw new ServiceError(
          'confirmation_required',
          'confirm your password with POST /partner-api/session/confirm, then send the request again',
        );
      }
      return endpoint.handle(request);
    },
  };
}

/** An instant that lies further ahead than a confirmation reaches was not set by one. */
function isConfirmed({ confirmedUntil }: OwnerSession, now: Date): boolean {
  const leftMs = confirmedUntil.getTime() - now.getTime();
  return leftMs > 0 && leftMs <= CONFIRMED_MS;
}
