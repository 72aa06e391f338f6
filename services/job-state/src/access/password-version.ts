import { createHash } from 'node:crypto';
import type { Transaction } from '../database/database.js';

/** What decides about the sessions of a person. */
export interface SessionsBasis {
  /** Argon2id in PHC string form; null without a password. */
  readonly passwordHash: string | null;
  /** How often {@link endSessions} has ended the sessions of the person. */
  readonly sessionVersion: number;
}

/**
 * Identifies what the sessions of a person depend on: a session ends once this changes. It is a digest of the salted hash of the
 * password, which verifies no password, and changes when the same password is set again.
 */
export function passwordVersion({ passwordHash, sessionVersion }: SessionsBasis): string {
  const digest =
    passwordHash === null ? 'none' : createHash('sha256').update(passwordHash).digest('base64url');
  // Without a number it is the version of a service that has none: sessions outlast the upgrade.
  return sessionVersion === 0 ? digest : `${digest}.${sessionVersion}`;
}

/** Ends the sessions that a membership, which the transaction has locked, has at the commit: within a minute. */
export async function endSessions(tx: Transaction, membershipId: string): Promise<void> {
  await tx.query('update memberships set session_version = session_version + 1 where id = $1', [
    membershipId,
  ]);
}
