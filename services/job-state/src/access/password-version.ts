import { createHash } from 'node:crypto';

/**
 * Identifies one setting of a password: a digest of its salted hash, 43 characters, which verifies no password.
 *
 * Setting the same password again returns another one.
 */
export function passwordVersion(passwordHash: string): string {
  return createHash('sha256').update(passwordHash).digest('base64url');
}
