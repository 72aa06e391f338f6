import { type AnyEndpoint, defineEndpoint } from '@partner/runtime/http/endpoint';
import { presentSession } from '../present-session.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/session`: who is signed in, and until when. */
export function getSession(): AnyEndpoint<OwnerSession> {
  return defineEndpoint({
    method: 'get',
    path: '/partner-api/session',
    handle: async ({ principal }) => ({ status: 200, json: presentSession(principal) }),
  });
}
