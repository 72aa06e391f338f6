import type { Role } from '@partner/proto-contracts/api/roles';
import { useSecondFactorOperation } from '@partner/proto-contracts/internal/access/second-factor';
import type { Login } from '@partner/proto-contracts/internal/access/sign-in';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf } from '../acting-owner.js';
import type { KnownDevice } from './device-cookie.js';
import type { LoginAttempts } from './login-attempts.js';
import { tryCode } from './second-factor-code.js';
import type { ClientOrigin, Owner, OwnerSession, SessionStore } from './session-store.js';
import type { SessionTrail } from './session-trail.js';

/** Dependencies of an admission. */
export interface AdmitDeps {
  readonly operations: Pick<OperationClient, 'callInternal'>;
  readonly sessions: Pick<SessionStore, 'create' | 'end'>;
  readonly attempts: Pick<LoginAttempts, 'beginKnown'>;
  readonly trail: SessionTrail;
}

/** The client of a login. */
export interface LoginClient extends ClientOrigin {
  /** A code of the second factor, as typed. */
  readonly code?: string | undefined;
  /** The browser, if an owner has signed in there before. */
  readonly device?: KnownDevice | undefined;
}

/** Counts and logs how a login ended. */
export type Conclude = (outcome: string, membershipId: string | undefined) => void;

/** A person who has proved who they are, by a password or at the identity provider. */
export interface ProvenLogin {
  readonly login: Login;
  readonly client: LoginClient;
  readonly conclude: Conclude;
  /** Absent: the password. */
  readonly byProvider?: ProviderProof | undefined;
}

/** A proof of the identity provider. */
interface ProviderProof {
  readonly issuer: string;
  /** When the person entered credentials at the provider; undefined if it does not state that. */
  readonly authenticatedAt: Date | undefined;
  /** Called once the second factor is checked too. */
  link(owner: Owner): Promise<void>;
}

/**
 * Starts a session for a person who has proved who they are. Fails with `permission_denied` for a person who is neither owner nor
 * viewer. With a second factor, it fails with `second_factor_required` or `second_factor_wrong`. Fails with `unavailable`, without a
 * session, if the audit trail cannot be written.
 */
export async function admit(
  deps: AdmitDeps,
  { login, client, conclude, byProvider }: ProvenLogin,
  call: CallOptions,
): Promise<{ readonly token: string; readonly session: OwnerSession }> {
  if (login.role === null) {
    conclude('not_owner', login.membershipId);
    throw new ServiceError('permission_denied', 'only an owner or a viewer of a company can use the console');
  }
  const owner = ownerOf(login, login.role);
  if (login.hasSecondFactor) await checkSecondFactor(deps, owner, client, conclude, call);
  await byProvider?.link(owner);
  const started = await startSession(deps, { owner, client, byProvider }, call);
  conclude('signed_in', login.membershipId);
  return started;
}

/**
 * Uses up the code of an owner with a second factor. Only a client that has proved who it is comes here. So wrong codes
 * have one limit for the account over all addresses, which no stranger can use up; a known device has a separate one.
 */
async function checkSecondFactor(
  deps: Pick<AdmitDeps, 'operations' | 'attempts'>,
  owner: Owner,
  { code: text, device, ...origin }: LoginClient,
  conclude: Conclude,
  call: CallOptions,
): Promise<void> {
  const { membershipId } = owner;
  if (text === undefined) {
    conclude('second_factor_required', membershipId);
    throw new ServiceError(
      'second_factor_required',
      'enter the code of your authenticator app, or a recovery code',
    );
  }
  const isKnown = device?.membershipId === membershipId;
  const client = `second factor of ${isKnown ? `device ${device.id}` : membershipId}`;
  const caller = callerOf(owner, origin);
  try {
    await tryCode(deps.attempts, { client, text }, (code) =>
      deps.operations.callInternal(useSecondFactorOperation, { to: 'sign_in', code }, { ...call, caller }),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'second_factor_wrong') {
      conclude('second_factor_wrong', membershipId);
    }
    throw error;
  }
}

async function startSession(
  deps: Pick<AdmitDeps, 'sessions' | 'trail'>,
  {
    owner,
    client: { remoteAddress, userAgent },
    byProvider,
  }: Pick<ProvenLogin, 'client' | 'byProvider'> & { readonly owner: Owner },
  call: CallOptions,
): Promise<{ readonly token: string; readonly session: OwnerSession }> {
  const origin = { remoteAddress, userAgent };
  // A person who was signed in at the provider before has proved nothing now: such a session starts unconfirmed.
  const { token, session, displaced } = await deps.sessions.create(owner, origin, {
    provedAt: byProvider === undefined ? undefined : (byProvider.authenticatedAt ?? new Date(0)),
  });
  const { publicId } = session;
  try {
    await deps.trail.record({ change: 'started', owner, publicId, origin, issuer: byProvider?.issuer }, call);
  } catch (error) {
    await deps.sessions.end(session);
    throw error;
  } finally {
    // These sessions have ended even if the new one did not start.
    for (const publicId of displaced)
      await deps.trail.note({ change: 'ended', owner, publicId, origin }, call);
  }
  return { token, session };
}

function ownerOf(login: Login, role: Role): Owner {
  const { membershipId, displayName, companyId, companyName, companyClass, passwordVersion } = login;
  return { membershipId, displayName, companyId, companyName, companyClass, passwordVersion, role };
}
