import { createHash } from 'node:crypto';

/**
 * Identifies one setting of a password: a digest of its salted hash, 43 characters, which verifies no password.
 *
 * Setting the same password again returns another one. `none` without a password.
 */
export function passwordVersion(passwordHash: string | null): string {
  if (passwordHash === null) return 'none';
  return createHash('sha256').update(passwordHash).digest('base64url');
}
