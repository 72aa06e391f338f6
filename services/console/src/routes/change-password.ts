import { changePasswordOperation } from '@partner/proto-contracts/resources/password/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import { changePassword as change, type ChangePasswordDeps } from '../sessions/change-password.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `PUT /partner-api/password`: changes the owner's password, and continues with a new session. */
export function changePassword(
  deps: ChangePasswordDeps & { readonly cookie: Pick<SessionCookie, 'set'> },
): AnyEndpoint<OwnerSession> {
  return serveOperation(changePasswordOperation, async (request) => {
    const origin = clientOriginOf(request);
    const { token, session } = await change(
      deps,
      { ...request.body, session: request.principal, origin },
      request.call,
    );
    return { status: 200, json: shownSession(session), headers: { 'set-cookie': deps.cookie.set(token) } };
  });
}
