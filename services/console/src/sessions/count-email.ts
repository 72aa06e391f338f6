import { EMAIL_LIMITS } from '@partner/proto-contracts/resources/password/password';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { EmailKind, LoginAttempt, LoginAttempts } from './login-attempts.js';

/**
 * Counts an email that an owner has sent to an address. Fails with `rate_limited` at the limit of the address, also if another owner has used it up: the
 * message does not say whether anyone has an account there.
 */
export async function countEmail(
  attempts: Pick<LoginAttempts, 'countEmail'>,
  kind: Exclude<EmailKind, 'password-link'>,
  address: string,
): Promise<LoginAttempt> {
  const counted = await attempts.countEmail(kind, address);
  if (counted.waitMs === 0) return counted;
  const retryAfterSeconds = Math.ceil(counted.waitMs / 1_000);
  throw new ServiceError(
    'rate_limited',
    `at most ${EMAIL_LIMITS.perHour} such emails an hour and ${EMAIL_LIMITS.perDay} a day are sent to one address, for all companies together; retry after ${retryAfterSeconds} seconds`,
    { retryAfterSeconds },
  );
}
