import { createHash } from 'node:crypto';

/** Returns the hash by which a secret token is stored and found, in hexadecimal. */
export function tokenSha256(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
