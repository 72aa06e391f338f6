import { getSessionOperation } from '@partner/proto-contracts/resources/session/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/http/endpoint';
import { shownSession } from '../sessions/session-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/session`: returns the signed-in owner and when the session ends. */
export function getSession(): AnyEndpoint<OwnerSession> {
  return serveOperation(getSessionOperation, async ({ principal }) => ({
    status: 200,
    json: shownSession(principal),
  }));
}
