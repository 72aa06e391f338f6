import { beginProviderConfirmationOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { beginWithProvider, type ProviderDeps } from '../sessions/provider-sign-in.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/session/confirm/provider`: leads the browser to the identity provider, to sign in again. */
export function beginProviderConfirmation(
  deps: ProviderDeps & { readonly providerCookie: Pick<SessionCookie, 'set'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(beginProviderConfirmationOperation, async ({ principal }) => {
    const { token, authorizationUrl } = await beginWithProvider(deps, { sessionId: principal.id });
    return {
      status: 200,
      json: { authorizationUrl },
      headers: { 'set-cookie': deps.providerCookie.set(token) },
    };
  });
}
