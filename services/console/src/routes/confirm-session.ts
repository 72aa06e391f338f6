import { confirmSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import { confirmPassword, type ConfirmPasswordDeps } from '../sessions/confirm-password.js';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `POST /partner-api/session/confirm`: checks the password again, so that secrets can be created for 15 minutes. */
export function confirmSession(deps: ConfirmPasswordDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(confirmSessionOperation, async (request) => {
    const session = await confirmPassword(
      deps,
      {
        session: request.principal,
        password: request.body.password,
        origin: clientOriginOf(request),
      },
      request.call,
    );
    return { status: 200, json: shownSession(session) };
  });
}
