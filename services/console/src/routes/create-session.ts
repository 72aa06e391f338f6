import { createSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { clientOriginOf } from '../client-origin.js';
import type { DeviceCookie } from '../sessions/device-cookie.js';
import { endFormerSession } from '../sessions/end-former-session.js';
import { logIn, type LogInDeps } from '../sessions/log-in.js';
import type { SessionCookie } from '../sessions/session-cookie.js';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `POST /partner-api/session`: signs an owner in with a new token, and ends the browser's previous session. */
export function createSession(
  deps: LogInDeps & {
    readonly sessions: Pick<SessionStore, 'find' | 'end'>;
    readonly cookie: Pick<SessionCookie, 'read' | 'set'>;
    readonly deviceCookie: DeviceCookie;
  },
): AnyEndpoint<OwnerSession> {
  return serveOperation(createSessionOperation, async (request) => {
    const origin = clientOriginOf(request);
    const device = deps.deviceCookie.read(request.header('cookie'));
    const credentials = { ...request.body, ...origin, device };
    const { token, session } = await logIn(deps, credentials, request.call);
    await endFormerSession(deps, request.header('cookie'), origin, request.call);
    return {
      status: 200,
      json: shownSession(session),
      headers: {
        'set-cookie': [deps.cookie.set(token), deps.deviceCookie.set(session.membershipId, device)],
      },
    };
  });
}
