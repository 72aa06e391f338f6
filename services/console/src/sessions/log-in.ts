import { findLoginOperation } from '@partner/proto-contracts/internal/access/sign-in';
import { clientNetwork } from '@partner/gateway-kit/auth/client-address';
import type { CallOptions } from '@partner/kernel/amqp/operation-client';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { ServiceError } from '@partner/kernel/process/service-error';
import type { Counter } from 'prom-client';
import { admit, type AdmitDeps, type Conclude, type LoginClient } from './admit.js';
import type { LoginAttempt, LoginAttempts } from './login-attempts.js';
import type { OwnerSession } from './session-store.js';
import type { VerifyPassword } from './verify-password.js';

/** Dependencies of a login. */
export interface LogInDeps extends AdmitDeps {
  readonly attempts: Pick<LoginAttempts, 'beginFromNetwork' | 'beginKnown' | 'beginUnknown'>;
  readonly verifyPassword: VerifyPassword;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly logins: Counter<'outcome'>;
}

/** Credentials of a login, and the client. */
export interface Credentials extends LoginClient {
  readonly email: string;
  readonly password: string;
}

/**
 * Starts a session for a company owner. Fails with `unauthenticated` for a wrong password or an unknown address, with
 * the same text and the same work. Fails with `permission_denied` for the right password of a person who owns no
 * company, and with `rate_limited` after too many failures of the client. A known device of the account has a
 * separate limit, so no stranger locks its owner out. For an owner with a second factor, it fails with
 * `second_factor_required` or `second_factor_wrong` after the right password. Fails with `unavailable`, without a session, if the audit trail cannot be written. Only failed logins stay counted.
 */
export async function logIn(
  deps: LogInDeps,
  credentials: Credentials,
  call: CallOptions,
): Promise<{ readonly token: string; readonly session: OwnerSession }> {
  const attempts: LoginAttempt[] = [];
  let mustCount = false;
  const conclude = concludeLogin(deps, credentials);

  try {
    const { device } = credentials;
    const network = clientNetwork(credentials.remoteAddress);
    const beginUnknown = async () => attempts.push(await deps.attempts.beginFromNetwork(network));
    if (device === undefined) await beginUnknown();
    else attempts.push(await deps.attempts.beginKnown(`device ${device.id}`));
    const { email } = credentials;
    const { login } = await deps.operations.callInternal(findLoginOperation, { email }, call);
    if (device === undefined || device.membershipId !== login?.membershipId) {
      if (device !== undefined) await beginUnknown();
      // By membership if it is known: several spellings of an address can mean the same account.
      const account = login?.membershipId ?? email.toLowerCase();
      attempts.push(await deps.attempts.beginUnknown(account, network));
    }
    const matches = await deps.verifyPassword(network, credentials.password, login?.passwordHash);
    if (!matches || login === undefined) {
      mustCount = true;
      conclude('wrong', login?.membershipId);
      throw new ServiceError('unauthenticated', 'the email address or the password is wrong');
    }
    return await admit(deps, { login, client: credentials, conclude }, call);
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'rate_limited') {
      mustCount = true;
      conclude('limited', undefined);
    }
    throw error;
  } finally {
    // An attempt that cannot be removed stays counted until its span ends; the response is the same.
    if (!mustCount) await Promise.allSettled(attempts.map((attempt) => attempt.forget()));
  }
}

/** Returns the function that counts and logs how a login of a client ended. */
export function concludeLogin(
  { logins, logger }: Pick<LogInDeps, 'logins' | 'logger'>,
  { remoteAddress }: Pick<LoginClient, 'remoteAddress'>,
): Conclude {
  return (outcome, membershipId) => {
    logins.inc({ outcome });
    const line = { outcome, membershipId, remoteAddress };
    if (outcome === 'signed_in') logger.info(line, 'login.concluded');
    else logger.warn(line, 'login.concluded');
  };
}
