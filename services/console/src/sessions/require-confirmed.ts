import { ServiceError } from '@partner/kernel/service-error';
import type { OwnerSession } from './session-store.js';

/**
 * Refuses operations that show a secret unless the owner has entered the password in the last 15 minutes. An unattended
 * browser or a stolen cookie is not enough. Fails with `confirmation_required`.
 */
export function requireConfirmed(session: Pick<OwnerSession, 'confirmedUntil'>, clock: () => Date): void {
  if (clock() < session.confirmedUntil) return;
  throw new ServiceError(
    'confirmation_required',
    'confirm your password with POST /partner-api/session/confirm, then send the request again',
  );
}
