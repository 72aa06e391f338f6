import {
  findProviderLoginOperation,
  findSignInMethodsOperation,
  linkProviderOperation,
} from '@partner/proto-contracts/internal/access/sign-in';
import {
  beginProviderConfirmationOperation,
  beginProviderSignInOperation,
  completeProviderConfirmationOperation,
  completeProviderSignInOperation,
  getSignInMethodsOperation,
} from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { PROVIDER_SIGN_INS } from '@partner/proto-contracts/resources/provider-sign-in/provider-sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import {
  type AnyEndpoint,
  type EndpointRequest,
  type EndpointResponse,
  serveOperation,
} from '@partner/gateway-kit/http/endpoint';
import { ServiceError } from '@partner/kernel/process/service-error';
import { callerOf, clientOriginOf, ownerCall } from '../acting-owner.js';
import type { ConsoleDeps } from '../console-deps.js';
import { countUse, hasReason } from '../refusals.js';
import { recordConfirmation } from '../sessions/confirm-password.js';
import {
  CLOCK_SKEW_MS,
  type IdentityProvider,
  type ProviderAccount,
  refused,
} from '../sessions/identity-provider.js';
import { admit, concludeLogin, replaceFormerSession } from '../sessions/log-in.js';
import type { ProviderRequest } from '../sessions/provider-requests.js';
import type { Owner, OwnerSession } from '../sessions/session-store.js';
import { serializeSession } from './session-endpoints.js';

/** Signing in, and confirming a session, with the identity provider. Without one these paths are 404. */
export function providerEndpoints(deps: ConsoleDeps): readonly AnyEndpoint<OwnerSession>[] {
  return [
    serveOperation(beginProviderSignInOperation, async ({ body, header, remoteAddress }) => {
      const provider = requireProvider(deps);
      const client = deps.deviceCookie.read(header('cookie'))?.id ?? clientNetwork(remoteAddress);
      const key = `provider-sign-ins:${client}`;
      await countUse(deps.limiter, key, PROVIDER_SIGN_INS.perMinute, 'sign-ins can be started');
      return redirect(deps, provider, body);
    }),
    serveOperation(beginProviderConfirmationOperation, async ({ principal }) =>
      redirect(deps, requireProvider(deps), { sessionId: principal.id }),
    ),
    serveOperation(completeProviderSignInOperation, (request) => completeSignIn(deps, request)),
    serveOperation(completeProviderConfirmationOperation, (request) => completeConfirmation(deps, request)),
    serveOperation(getSignInMethodsOperation, async (request) => {
      const { identityProvider: provider } = deps;
      const { hasPassword, linkedAt } = await deps.operations.callInternal(
        findSignInMethodsOperation,
        { issuer: provider?.issuer },
        ownerCall(request),
      );
      const json = {
        hasPassword,
        provider: provider === undefined ? null : { name: provider.name, linkedAt },
      };
      return { status: 200, json };
    }),
  ];
}

function requireProvider({ identityProvider }: ConsoleDeps): IdentityProvider {
  if (identityProvider !== undefined) return identityProvider;
  throw new ServiceError('not_found', 'this service has no identity provider; sign in with your password');
}

/** Starts a sign-in, or the confirmation of a session, and leads the browser to the page of the provider. */
async function redirect(
  deps: ConsoleDeps,
  provider: IdentityProvider,
  purpose: Pick<ProviderRequest, 'sessionId' | 'returnTo'>,
): Promise<EndpointResponse> {
  const isConfirmation = purpose.sessionId !== undefined;
  const secrets = provider.newSecrets(isConfirmation ? 'confirm' : 'sign-in');
  const authorizationUrl = await provider.authorizationUrl(secrets, { mustAuthenticate: isConfirmation });
  const token = await deps.providerRequests.begin({ ...secrets, ...purpose });
  return {
    status: 200,
    json: { authorizationUrl },
    headers: { 'set-cookie': deps.providerCookie.set(token) },
  };
}

type Completion<Body = { readonly query: string }> = EndpointRequest<OwnerSession, unknown, Body>;

/**
 * Completes a sign-in with the provider's response. Fails with `provider_sign_in_refused` unless this browser has started it, the
 * response is the provider's and is used for the first time, and its account belongs to a person with access; such failures are
 * limited with those of logins. For a person with a second factor it fails as a login does; then the same response can be sent
 * again, with a code. Fails with `unavailable` if the provider does not respond, or nothing can be recorded.
 */
async function completeSignIn(
  deps: ConsoleDeps,
  request: Completion<{ readonly query: string; readonly code?: string | undefined }>,
): Promise<EndpointResponse> {
  const provider = requireProvider(deps);
  const { body, call } = request;
  const cookies = request.header('cookie');
  const device = deps.deviceCookie.read(cookies);
  const client = { ...clientOriginOf(request), code: body.code, device };
  const { returnTo, ...started } = await concludeLogin(deps, client, async (open) => {
    // Counted for the browser if it is known, so that no stranger in its network can use up the limit.
    await open.begin(
      device === undefined
        ? deps.attempts.beginFromNetwork(clientNetwork(client.remoteAddress))
        : deps.attempts.beginKnown(`device ${device.id}`),
    );
    const begun = await takeRequest(deps, request, undefined);
    const account = begun.account ?? (await provider.readAccount(begun, body.query));
    const { authenticatedAt, ...identity } = { ...account, issuer: provider.issuer };
    const found = await deps.operations.callInternal(findProviderLoginOperation, identity, call);
    const { login, isLinked } = found;
    if (login === undefined) throw noAccount(account, provider);
    const link = async (owner: Owner) => {
      if (isLinked) return;
      const asOwner = { ...call, caller: callerOf(owner, client) };
      await deps.operations.callInternal(linkProviderOperation, identity, asOwner);
    };
    const byProvider = { issuer: provider.issuer, authenticatedAt, link };
    const admitted = await admit(deps, { login, client, open, byProvider }, call).catch(
      async (error: unknown) => {
        const token = deps.providerCookie.read(cookies);
        if (token !== undefined && hasReason(error, 'second_factor_required', 'second_factor_wrong')) {
          await deps.providerRequests.putBack(token, { ...begun, account });
        }
        throw error;
      },
    );
    return { ...admitted, returnTo: begun.returnTo };
  });
  const setCookies = await replaceFormerSession(deps, request, started, device);
  return {
    status: 200,
    json: { session: serializeSession(started.session), returnTo: returnTo ?? null },
    headers: { 'set-cookie': [...setCookies, deps.providerCookie.clear()] },
  };
}

/**
 * Confirms a session with the provider's response: of the account that is linked to its person, who has signed in there since the
 * start. Fails with `provider_sign_in_refused` otherwise, and with `unauthenticated` if the session has ended meanwhile.
 */
async function completeConfirmation(deps: ConsoleDeps, request: Completion): Promise<EndpointResponse> {
  const provider = requireProvider(deps);
  const { issuer, name } = provider;
  const { principal: session, body, call } = request;
  const begun = await takeRequest(deps, request, session.id);
  const { subject, authenticatedAt } = await provider.readAccount(begun, body.query);
  const identity = { issuer, subject };
  const { login, isLinked } = await deps.operations.callInternal(findProviderLoginOperation, identity, call);
  if (login === undefined || !isLinked || login.membershipId !== session.membershipId) {
    throw refused(`you signed in to ${name} with a different account than in this console; start again`);
  }
  if (login.role !== session.role) throw refused('your role was changed; sign in again');
  // A provider that was not asked to, or ignores it, states no time or an earlier one.
  const isNew = (authenticatedAt ?? 0) >= begun.startedAt - CLOCK_SKEW_MS;
  if (!isNew) {
    throw refused(
      `${name} did not ask you to sign in again; sign out of this console and of ${name}, then sign in`,
    );
  }
  return {
    status: 200,
    json: serializeSession(await recordConfirmation(deps, request, issuer)),
    headers: { 'set-cookie': deps.providerCookie.clear() },
  };
}

/** Takes the request of this browser, once. Any other response ends it, so that no one can try several. */
async function takeRequest(
  deps: ConsoleDeps,
  { body, header }: Completion,
  sessionId: string | undefined,
): Promise<ProviderRequest> {
  const token = deps.providerCookie.read(header('cookie'));
  const begun = token === undefined ? undefined : await deps.providerRequests.take(token);
  const isOwn =
    begun !== undefined &&
    begun.sessionId === sessionId &&
    new URLSearchParams(body.query).get('state') === begun.state;
  if (isOwn) return begun;
  throw refused(
    'this sign-in was not started in this browser, was already used, or has expired; start it again',
  );
}

function noAccount({ verifiedEmail }: ProviderAccount, { name }: IdentityProvider): ServiceError {
  return refused(
    verifiedEmail === undefined
      ? `${name} has not verified an email address of your account, so it cannot be linked to this console`
      : `neither your account at ${name} nor its email address has access to this console; ask an owner of your company for an invitation`,
  );
}
