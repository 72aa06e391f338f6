import { createHash } from 'node:crypto';
import type { Transaction } from '../../database/database.js';

export interface MembershipOfCompany {
  readonly companyId: string;
  readonly membershipId: string;
}

/** Returns the condition that a membership, given by its alias in the statement, has a way to sign in. */
export function canSignIn(member: string): string {
  return `(${member}.password_hash is not null or exists (
    select from provider_links as link where link.membership_id = ${member}.id))`;
}

export interface SessionsBasis {
  /** Argon2id in PHC string form; null without a password. */
  readonly passwordHash: string | null;
  /** How often {@link endSessions} has ended the sessions of the person. */
  readonly sessionVersion: number;
}

/** Columns of a {@link SessionsBasis}, from `memberships as member`. */
export const SESSIONS_COLUMNS =
  'member.password_hash as "passwordHash", member.session_version as "sessionVersion"';

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
