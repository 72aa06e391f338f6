import type { ErrorReason } from '@partner/proto-contracts/api/error-reasons';
import { useSecondFactorOperation } from '@partner/proto-contracts/internal/access/second-factor';
import { findLoginOperation, type Login } from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf, clientOriginOf, type OwnerRequest } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import type { KnownDevice } from './cookies.js';
import { countFailures, type LoginAttempt } from './login-attempts.js';
import { tryCode } from './second-factor-code.js';
import type { ClientOrigin, Owner, OwnerSession } from './session-store.js';

export interface LoginClient extends ClientOrigin {
  /** A code of the second factor, as typed. */
  readonly code?: string | undefined;
  /** The browser, if an owner has signed in there before. */
  readonly device: KnownDevice | undefined;
}

interface StartedSession {
  readonly token: string;
  readonly session: OwnerSession;
}

interface ProviderProof {
  readonly issuer: string;
  /** When the person entered credentials at the provider, in Unix ms; undefined if it does not state that. */
  readonly authenticatedAt: number | undefined;
  /** Called once the second factor is checked too. */
  link(owner: Owner): Promise<void>;
}

/** A login that has not ended. */
interface OpenLogin {
  /** Waits until an attempt is counted; it stays counted if the login is refused. */
  begin(attempt: Promise<LoginAttempt>): Promise<void>;
  /** The person, once it is known, for the log. */
  membershipId?: string | undefined;
}

/** How refused logins are counted and logged. */
const OUTCOMES: Partial<Record<ErrorReason, string>> = {
  unauthenticated: 'wrong',
  permission_denied: 'not_owner',
  second_factor_required: 'second_factor_required',
  second_factor_wrong: 'second_factor_wrong',
  provider_sign_in_refused: 'provider_refused',
  rate_limited: 'limited',
};

/** Refusals after which the attempts stay counted. */
const GUESSES: readonly ErrorReason[] = ['unauthenticated', 'provider_sign_in_refused', 'rate_limited'];

/** Runs a login of a client; counts and logs how it ended. */
export async function concludeLogin<T>(
  { logins, logger }: Pick<ConsoleDeps, 'logins' | 'logger'>,
  { remoteAddress }: ClientOrigin,
  work: (login: OpenLogin) => Promise<T>,
): Promise<T> {
  let login: OpenLogin | undefined;
  try {
    const result = await countFailures(GUESSES, (begin) => work((login = { begin })));
    logins.inc({ outcome: 'signed_in' });
    logger.info(
      { outcome: 'signed_in', membershipId: login?.membershipId, remoteAddress },
      'login.concluded',
    );
    return result;
  } catch (error) {
    const outcome = error instanceof ServiceError ? OUTCOMES[error.reason] : undefined;
    if (outcome !== undefined) {
      logins.inc({ outcome });
      logger.warn({ outcome, membershipId: login?.membershipId, remoteAddress }, 'login.concluded');
    }
    throw error;
  }
}

/**
 * Starts a session for a company owner. Fails with `unauthenticated` for a wrong password or an unknown address, with
 * the same text and the same work. Fails with `rate_limited` after too many failures of the client. A known device of the account has a
 * separate limit, so no stranger locks its owner out. Else it fails as {@link admit} does. Only failed logins stay counted.
 */
export function logIn(
  deps: ConsoleDeps,
  { email, password, ...client }: LoginClient & { readonly email: string; readonly password: string },
  call: CallOptions,
): Promise<StartedSession> {
  return concludeLogin(deps, client, async (open) => {
    const { device } = client;
    const network = clientNetwork(client.remoteAddress);
    await open.begin(
      device === undefined
        ? deps.attempts.beginFromNetwork(network)
        : deps.attempts.beginKnown(`device ${device.id}`),
    );
    const { login } = await deps.operations.callInternal(findLoginOperation, { email }, call);
    open.membershipId = login?.membershipId;
    if (device === undefined || device.membershipId !== login?.membershipId) {
      if (device !== undefined) await open.begin(deps.attempts.beginFromNetwork(network));
      // By membership if it is known: several spellings of an address can mean the same account.
      const account = login?.membershipId ?? email.toLowerCase();
      await open.begin(deps.attempts.beginUnknown(account, network));
    }
    const matches = await deps.verifyPassword(network, password, login?.passwordHash);
    if (matches && login !== undefined) return admit(deps, { login, client, open }, call);
    throw new ServiceError('unauthenticated', 'the email address or the password is wrong');
  });
}

/**
 * Starts a session for a person who has proved who they are, by a password or at the identity provider. Fails with `permission_denied`
 * for a person who is neither owner nor viewer. With a second factor, it fails with `second_factor_required` or `second_factor_wrong`.
 * Fails with `unavailable`, without a session, if the audit trail cannot be written.
 */
export async function admit(
  deps: ConsoleDeps,
  {
    login,
    client,
    open,
    byProvider,
  }: {
    readonly login: Login;
    readonly client: LoginClient;
    readonly open: OpenLogin;
    readonly byProvider?: ProviderProof;
  },
  call: CallOptions,
): Promise<StartedSession> {
  const { role, hasSecondFactor, passwordHash: _passwordHash, ...person } = login;
  open.membershipId = login.membershipId;
  if (role === null) {
    throw new ServiceError('permission_denied', 'only an owner or a viewer of a company can use the console');
  }
  const owner = { ...person, role };
  if (hasSecondFactor) await checkSecondFactor(deps, owner, client, call);
  await byProvider?.link(owner);
  return startSession(deps, owner, client, byProvider, call);
}

/**
 * Uses up the code of an owner with a second factor. Only a client that has proved who it is comes here. So wrong codes
 * have one limit for the account over all addresses, which no stranger can use up; a known device has a separate one.
 */
async function checkSecondFactor(
  deps: ConsoleDeps,
  owner: Owner,
  { code: text, device, ...origin }: LoginClient,
  call: CallOptions,
): Promise<void> {
  if (text === undefined) {
    throw new ServiceError(
      'second_factor_required',
      'enter the code of your authenticator app, or a recovery code',
    );
  }
  const isKnown = device?.membershipId === owner.membershipId;
  const client = `second factor of ${isKnown ? `device ${device.id}` : owner.membershipId}`;
  const asOwner = { ...call, caller: callerOf(owner, origin) };
  await tryCode(deps.attempts, { client, text }, (code) =>
    deps.operations.callInternal(useSecondFactorOperation, { to: 'sign_in', code }, asOwner),
  );
}

async function startSession(
  { sessions, trail }: ConsoleDeps,
  owner: Owner,
  origin: ClientOrigin,
  byProvider: ProviderProof | undefined,
  call: CallOptions,
): Promise<StartedSession> {
  // A person who was signed in at the provider before has proved nothing now: such a session starts unconfirmed.
  const { token, session, displaced } = await sessions.create(owner, origin, {
    provedAt: byProvider === undefined ? undefined : (byProvider.authenticatedAt ?? 0),
  });
  try {
    await trail.record({ change: 'started', session, origin, issuer: byProvider?.issuer }, call);
  } catch (error) {
    await sessions.end(session);
    throw error;
  } finally {
    // These sessions have ended even if the new one did not start.
    for (const publicId of displaced)
      await trail.note({ change: 'ended', session: { ...owner, publicId }, origin }, call);
  }
  return { token, session };
}

/** Ends a session, and records that unless it had ended before. */
export async function signOut(
  { sessions, trail }: ConsoleDeps,
  session: OwnerSession,
  request: Pick<OwnerRequest, 'remoteAddress' | 'header' | 'call'>,
): Promise<void> {
  if (!(await sessions.end(session))) return;
  await trail.note({ change: 'ended', session, origin: clientOriginOf(request) }, request.call);
}

/** Ends the session that the browser had before a login, if any, and returns the cookies of the new one. */
export async function replaceFormerSession(
  deps: ConsoleDeps,
  request: Pick<OwnerRequest, 'remoteAddress' | 'header' | 'call'>,
  { token, session }: StartedSession,
  device: KnownDevice | undefined,
): Promise<readonly string[]> {
  const formerToken = deps.cookie.read(request.header('cookie'));
  const former = formerToken === undefined ? undefined : await deps.sessions.find(formerToken);
  if (former !== undefined) await signOut(deps, former, request);
  return [deps.cookie.set(token), deps.deviceCookie.set(session.membershipId, device)];
}
