import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { listSessionsOperation } from '@partner/proto-contracts/resources/session/operations';
import type { sessionList } from '@partner/proto-contracts/resources/session/session';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import type { OwnerSession, SessionStore } from '../sessions/session-store.js';

/** `GET /partner-api/sessions`: the owner's active sessions. */
export function listSessions(deps: {
  readonly sessions: Pick<SessionStore, 'list'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listSessionsOperation, async ({ principal }) => {
    const sessions = await deps.sessions.list(principal.membershipId);
    const json = {
      sessions: sessions.map((session) => ({
        id: session.publicId,
        current: session.id === principal.id,
        startedAt: formatDateTime(session.startedAt),
        lastSeenAt: formatDateTime(session.lastSeenAt),
        expiresAt: formatDateTime(session.expiresAt),
        remoteAddress: session.remoteAddress,
        userAgent: session.userAgent,
      })),
    } satisfies z.input<typeof sessionList>;
    return { status: 200, json };
  });
}
