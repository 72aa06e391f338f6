import type { sessionResponse } from '@partner/proto-contracts/resources/session/session';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { z } from 'zod';
import type { OwnerSession } from './sessions/session-store.js';

/** Converts a session to its public form. */
export function presentSession(session: OwnerSession): z.input<typeof sessionResponse> {
  return {
    owner: { membershipId: session.membershipId, displayName: session.displayName },
    company: { id: session.companyId, name: session.companyName, class: session.companyClass },
    expiresAt: formatDateTime(session.expiresAt),
    confirmedUntil: formatDateTime(session.confirmedUntil),
  };
}
