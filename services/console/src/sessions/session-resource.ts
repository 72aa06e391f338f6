import type { ownSession, sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { z } from 'zod';
import type { OwnerSession } from './session-store.js';

/** A session as its owner's browser reads it. */
export function shownSession(session: OwnerSession): z.input<typeof sessionResponse> {
  return {
    owner: { membershipId: session.membershipId, displayName: session.displayName, role: session.role },
    company: { id: session.companyId, name: session.companyName, class: session.companyClass },
    expiresAt: formatDateTime(session.expiresAt),
    confirmedUntil: formatDateTime(session.confirmedUntil),
  };
}

/** A session as the list of the owner's sessions shows it to one of them. */
export function shownOwnSession(
  session: OwnerSession,
  reader: Pick<OwnerSession, 'id'>,
): z.input<typeof ownSession> {
  return {
    id: session.publicId,
    current: session.id === reader.id,
    startedAt: formatDateTime(session.startedAt),
    lastSeenAt: formatDateTime(session.lastSeenAt),
    expiresAt: formatDateTime(session.expiresAt),
    remoteAddress: session.remoteAddress,
    userAgent: session.userAgent,
  };
}
