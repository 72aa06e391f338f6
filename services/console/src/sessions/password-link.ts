import { randomBytes } from 'node:crypto';
import { tokenSha256 } from '@partner/kernel/process/technical-contact-link';

/**
 * Creates a link with which a person sets a password. Its host is the configured one, never that of a request. The token is in
 * the fragment, which browsers never send to a server, so access logs do not contain it.
 */
export function createPasswordLink(publicBaseUrl: string): {
  readonly link: string;
  readonly tokenSha256: string;
} {
  const token = randomBytes(32).toString('base64url');
  return {
    link: `${publicBaseUrl.replace(/\/$/, '')}/console/set-password#${token}`,
    tokenSha256: tokenSha256(token),
  };
}
