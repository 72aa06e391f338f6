import {
  findProviderLoginOperation,
  linkProviderOperation,
} from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import type { CallOptions, OperationClient } from '@partner/kernel/amqp/operation-client';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf } from '../acting-owner.js';
import { admit, type AdmitDeps, type LoginClient } from './admit.js';
import { CLOCK_SKEW_MS, type IdentityProvider, type ProviderAccount } from './identity-provider.js';
import { concludeLogin, type LogInDeps } from './log-in.js';
import type { LoginAttempt, LoginAttempts } from './login-attempts.js';
import type { ProviderRequest, ProviderRequests } from './provider-requests.js';
import type { ClientOrigin, Owner, OwnerSession, SessionStore } from './session-store.js';

/** Dependencies of everything with the identity provider. */
export interface ProviderDeps {
  /** Absent: none is configured. */
  readonly identityProvider?: IdentityProvider | undefined;
  readonly providerRequests: ProviderRequests;
}

/** Dependencies of a sign-in. */
export interface ProviderSignInDeps extends ProviderDeps, AdmitDeps, Pick<LogInDeps, 'logger' | 'logins'> {
  readonly attempts: Pick<LoginAttempts, 'beginFromNetwork' | 'beginKnown'>;
}

/** Returns the identity provider. Fails with `not_found` if none is configured. */
export function requireProvider({ identityProvider }: Pick<ProviderDeps, 'identityProvider'>) {
  if (identityProvider !== undefined) return identityProvider;
  throw new ServiceError('not_found', 'this service has no identity provider; sign in with your password');
}

/**
 * Starts a sign-in, or the confirmation of a session. Returns the provider's page, and the token that the browser has to keep.
 * Fails with `not_found` without a provider, and with `unavailable` if it does not respond.
 */
export async function beginWithProvider(
  deps: ProviderDeps,
  purpose: Pick<ProviderRequest, 'sessionId' | 'returnTo'>,
): Promise<{ readonly token: string; readonly authorizationUrl: string }> {
  const provider = requireProvider(deps);
  const isConfirmation = purpose.sessionId !== undefined;
  const secrets = provider.newSecrets(isConfirmation ? 'confirm' : 'sign-in');
  const authorizationUrl = await provider.authorizationUrl(secrets, { mustAuthenticate: isConfirmation });
  return { token: await deps.providerRequests.begin({ ...secrets, ...purpose }), authorizationUrl };
}

/**
 * Completes a sign-in with the provider's response. Fails with `provider_sign_in_refused` unless this browser has started it, the
 * response is the provider's and is used for the first time, and its account belongs to a person with access; such failures are
 * limited with those of logins. For a person with a second factor it fails as a login does; then the same response can be sent
 * again, with a code. Fails with `unavailable` if the provider does not respond, or nothing can be recorded.
 */
export async function completeProviderSignIn(
  deps: ProviderSignInDeps,
  given: { readonly token: string | undefined; readonly query: string; readonly client: LoginClient },
  call: CallOptions,
): Promise<{
  readonly token: string;
  readonly session: OwnerSession;
  readonly returnTo: string | undefined;
}> {
  const provider = requireProvider(deps);
  const { token, query, client } = given;
  const conclude = concludeLogin(deps, client);
  const attempt = await beginAttempt(deps.attempts, client).catch((error: unknown) => {
    conclude('limited', undefined);
    throw error;
  });
  let mustCount = false;
  try {
    const request = await takeRequest(deps.providerRequests, { token, query, sessionId: undefined });
    const account = accountOf(request) ?? (await provider.readAccount(request, query));
    const { issuer } = provider;
    const { authenticatedAt, ...identity } = { ...account, issuer };
    const { login, isLinked } = await deps.operations.callInternal(
      findProviderLoginOperation,
      identity,
      call,
    );
    if (login === undefined) throw noAccount(account, provider);
    const link = async (owner: Owner) => {
      if (isLinked) return;
      const caller = callerOf(owner, client);
      await deps.operations.callInternal(linkProviderOperation, identity, { ...call, caller });
    };
    const byProvider = { issuer, authenticatedAt, link };
    const started = await admit(deps, { login, client, conclude, byProvider }, call).catch(
      async (error: unknown) => {
        if (token !== undefined && asksCode(error)) {
          await deps.providerRequests.putBack(token, withAccount(request, account));
        }
        throw error;
      },
    );
    return { ...started, returnTo: request.returnTo };
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'provider_sign_in_refused') {
      mustCount = true;
      conclude('provider_refused', undefined);
    }
    throw error;
  } finally {
    // An attempt that cannot be removed stays counted until its span ends; the response is the same.
    if (!mustCount) await Promise.allSettled([attempt.forget()]);
  }
}

/** Counts an attempt: of the browser if it is known, so that no stranger in its network can use up the limit. */
function beginAttempt(
  attempts: ProviderSignInDeps['attempts'],
  { device, remoteAddress }: LoginClient,
): Promise<LoginAttempt> {
  return device === undefined
    ? attempts.beginFromNetwork(clientNetwork(remoteAddress))
    : attempts.beginKnown(`device ${device.id}`);
}

/**
 * Confirms a session with the provider's response: of the account that is linked to its person, who has signed in there since the
 * start. Fails with `provider_sign_in_refused` otherwise, and with `unauthenticated` if the session has ended meanwhile. The audit
 * entry is written first, so that no confirmation is unrecorded.
 */
export async function completeProviderConfirmation(
  deps: ProviderDeps & {
    readonly operations: Pick<OperationClient, 'callInternal'>;
    readonly sessions: Pick<SessionStore, 'confirm'>;
    readonly trail: AdmitDeps['trail'];
    readonly logger: Pick<LogInDeps['logger'], 'info'>;
  },
  given: {
    readonly token: string | undefined;
    readonly query: string;
    readonly session: OwnerSession;
    readonly origin: ClientOrigin;
  },
  call: CallOptions,
): Promise<OwnerSession> {
  const provider = requireProvider(deps);
  const { token, query, session, origin } = given;
  const { issuer, name } = provider;
  const request = await takeRequest(deps.providerRequests, { token, query, sessionId: session.id });
  const { subject, authenticatedAt } = await provider.readAccount(request, query);
  const identity = { issuer, subject };
  const { login, isLinked } = await deps.operations.callInternal(findProviderLoginOperation, identity, call);
  if (login === undefined || !isLinked || login.membershipId !== session.membershipId) {
    throw refused(`you signed in at ${name} with another account than in this console; start again`);
  }
  if (login.role !== session.role) throw refused('your role was changed; sign in again');
  // A provider that was not asked to, or ignores it, states no time or an earlier one.
  const isNew = (authenticatedAt?.getTime() ?? 0) >= request.startedAt - CLOCK_SKEW_MS;
  if (!isNew) {
    throw refused(
      `${name} did not ask you to sign in again; sign out of this console and of ${name}, then sign in`,
    );
  }
  const { companyId, membershipId, publicId } = session;
  await deps.trail.record({ change: 'confirmed', owner: session, publicId, origin, issuer }, call);
  const confirmedUntil = await deps.sessions.confirm(session.id);
  if (confirmedUntil === undefined) throw new ServiceError('unauthenticated', 'the session has ended');
  const line = { companyId, membershipId, remoteAddress: origin.remoteAddress, outcome: 'confirmed' };
  deps.logger.info(line, 'session.confirmation_concluded');
  return { ...session, confirmedUntil };
}

/** Takes the request of this browser, once. Any other response ends it, so that no one can try several. */
async function takeRequest(
  requests: ProviderRequests,
  {
    token,
    query,
    sessionId,
  }: {
    readonly token: string | undefined;
    readonly query: string;
    readonly sessionId: string | undefined;
  },
): Promise<ProviderRequest> {
  const request = token === undefined ? undefined : await requests.take(token);
  const isOwn =
    request !== undefined &&
    request.sessionId === sessionId &&
    new URLSearchParams(query).get('state') === request.state;
  if (isOwn) return request;
  throw refused('this sign-in was not started in this browser, was used, or is too old; start it again');
}

/** The account that an earlier response has proved, while a code of the second factor is missing. */
function accountOf({ account }: ProviderRequest): ProviderAccount | undefined {
  if (account === undefined) return undefined;
  const { subject, verifiedEmail, authenticatedAt } = account;
  return {
    subject,
    verifiedEmail,
    authenticatedAt: authenticatedAt === undefined ? undefined : new Date(authenticatedAt),
  };
}

function withAccount(request: ProviderRequest, account: ProviderAccount): ProviderRequest {
  return { ...request, account: { ...account, authenticatedAt: account.authenticatedAt?.getTime() } };
}

function asksCode(error: unknown): boolean {
  const reasons: readonly string[] = ['second_factor_required', 'second_factor_wrong'];
  return error instanceof ServiceError && reasons.includes(error.reason);
}

function noAccount({ verifiedEmail }: ProviderAccount, { name }: IdentityProvider): ServiceError {
  return refused(
    verifiedEmail === undefined
      ? `${name} has not verified an email address of your account, so it cannot be linked to this console`
      : `no one with access to this console has your account at ${name}, or its email address; ask an owner of your company for an invitation`,
  );
}

function refused(message: string): ServiceError {
  return new ServiceError('provider_sign_in_refused', message);
}
