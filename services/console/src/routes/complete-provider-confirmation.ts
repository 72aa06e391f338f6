import { completeProviderConfirmationOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import { completeProviderConfirmation as complete } from '../sessions/provider-sign-in.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/session/confirm/provider/complete`: confirms the session with the response of the identity provider. */
export function completeProviderConfirmation(
  deps: Parameters<typeof complete>[0] & { readonly providerCookie: Pick<SessionCookie, 'read' | 'clear'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(completeProviderConfirmationOperation, async (request) => {
    const session = await complete(
      deps,
      {
        token: deps.providerCookie.read(request.header('cookie')),
        query: request.body.query,
        session: request.principal,
        origin: clientOriginOf(request),
      },
      request.call,
    );
    return {
      status: 200,
      json: shownSession(session),
      headers: { 'set-cookie': deps.providerCookie.clear() },
    };
  });
}
