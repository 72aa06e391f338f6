import { randomBytes } from 'node:crypto';
import type { Mailer } from '@partner/kernel/mail/mail';
import { ServiceError } from '@partner/kernel/process/service-error';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import type { ConsoleDeps } from '../console-deps.js';
import { hasReason } from '../refusals.js';

/** Returns the mailer. Fails with `not_found` if there is none; then the operator of the service can do `instead`. */
export function requireMailer({ mailer }: Pick<ConsoleDeps, 'mailer'>, instead: string): Mailer {
  if (mailer !== undefined) return mailer;
  throw new ServiceError('not_found', `this service has no mail server; ask its operator to ${instead}`);
}

/**
 * Creates a link with which a person sets a password. Its host is the configured one, never that of a request. The token is in
 * the fragment, which browsers never send to a server, so access logs do not contain it.
 */
export function createPasswordLink({ publicBaseUrl }: Pick<ConsoleDeps, 'publicBaseUrl'>) {
  const token = randomBytes(32).toString('base64url');
  const link = `${publicBaseUrl.replace(/\/$/, '')}/console/set-password#${token}`;
  return { link, tokenSha256: tokenSha256(token) };
}

/** Returns the handler of a call with the token of a link: one that is not found does not work. */
export function refuseLink(advice: string): (error: unknown) => never {
  return (error) => {
    if (!hasReason(error, 'not_found')) throw error;
    throw new ServiceError(
      'not_found',
      `this link no longer works: it was used, replaced, or has expired; ${advice}`,
    );
  };
}
