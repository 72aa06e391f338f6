import { completeProviderSignInOperation } from '@partner/proto-contracts/resources/provider-sign-in/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import type { DeviceCookie } from '../sessions/device-cookie.js';
import { endFormerSession } from '../sessions/end-former-session.js';
import { completeProviderSignIn as complete, type ProviderSignInDeps } from '../sessions/provider-sign-in.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `POST /partner-api/session/provider/complete`: signs an owner in with the response of the identity provider. */
export function completeProviderSignIn(
  deps: ProviderSignInDeps & {
    readonly sessions: Pick<SessionStore, 'find' | 'end'>;
    readonly cookie: Pick<SessionCookie, 'read' | 'set'>;
    readonly deviceCookie: DeviceCookie;
    readonly providerCookie: Pick<SessionCookie, 'read' | 'clear'>;
  },
): AnyEndpoint<OwnerSession> {
  return serveOperation(completeProviderSignInOperation, async (request) => {
    const { body, call } = request;
    const cookies = request.header('cookie');
    const origin = clientOriginOf(request);
    const device = deps.deviceCookie.read(cookies);
    const { token, session, returnTo } = await complete(
      deps,
      {
        token: deps.providerCookie.read(cookies),
        query: body.query,
        client: { ...origin, code: body.code, device },
      },
      call,
    );
    await endFormerSession(deps, cookies, origin, call);
    return {
      status: 200,
      json: { session: shownSession(session), returnTo: returnTo ?? null },
      headers: {
        'set-cookie': [
          deps.cookie.set(token),
          deps.deviceCookie.set(session.membershipId, device),
          deps.providerCookie.clear(),
        ],
      },
    };
  });
}
