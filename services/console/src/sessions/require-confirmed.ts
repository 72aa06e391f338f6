import { ServiceError } from '@partner/kernel/service-error';
import type { OwnerSession } from './session-store.js';

/**
 * Refuses what shows a secret to a session whose owner has not given the password in the last 15 minutes: a browser that was left
 * open, or a cookie that was taken, is not enough for it. Fails with `confirmation_required`.
 */
export function requireConfirmed(session: Pick<OwnerSession, 'confirmedUntil'>, clock: () => Date): void {
  if (clock() < session.confirmedUntil) return;
  throw new ServiceError(
    'confirmation_required',
    'confirm your password with POST /partner-api/session/confirm, then send the request again',
  );
}
