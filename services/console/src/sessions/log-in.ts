import type { CallOptions, Client } from '@connectrpc/connect';
import type { AccessService, Login } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { clientNetwork } from '@partner/gateway-kit/client-address';
import type { Logger } from '@partner/kernel/logger';
import { ServiceError } from '@partner/kernel/service-error';
import type { Counter } from 'prom-client';
import { CompanyClassSchema } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { companyClass } from '@partner/proto-contracts/values/company-class';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { actorOf } from '../acting-owner.js';
import { requiredField } from '../required-field.js';
import type { KnownDevice } from './device-cookie.js';
import type { LoginAttempt, LoginAttempts } from './login-attempts.js';
import { tryCode } from './second-factor-code.js';
import { roleOf } from './role.js';
import type { ClientOrigin, Owner, OwnerSession, SessionStore } from './session-store.js';
import type { SessionTrail } from './session-trail.js';
import type { VerifyPassword } from './verify-password.js';

/** Dependencies of a login. */
export interface LogInDeps {
  readonly access: Pick<Client<typeof AccessService>, 'getLogin' | 'useSecondFactor'>;
  readonly sessions: Pick<SessionStore, 'create' | 'end'>;
  readonly attempts: Pick<LoginAttempts, 'beginFromNetwork' | 'beginKnown' | 'beginUnknown'>;
  readonly verifyPassword: VerifyPassword;
  readonly trail: SessionTrail;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly logins: Counter<'outcome'>;
}

/** Credentials of a login, and the client. */
export interface Credentials extends ClientOrigin {
  readonly email: string;
  readonly password: string;
  /** A code of the second factor, as typed. */
  readonly code?: string | undefined;
  /** The browser, if an owner has signed in there before. */
  readonly device?: KnownDevice | undefined;
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
  const conclude = (outcome: string, membershipId: string | undefined) => {
    deps.logins.inc({ outcome });
    const line = { outcome, membershipId, remoteAddress: credentials.remoteAddress };
    if (outcome === 'signed_in') deps.logger.info(line, 'login.concluded');
    else deps.logger.warn(line, 'login.concluded');
  };

  try {
    const { device } = credentials;
    const network = clientNetwork(credentials.remoteAddress);
    const beginUnknown = async () => attempts.push(await deps.attempts.beginFromNetwork(network));
    if (device === undefined) await beginUnknown();
    else attempts.push(await deps.attempts.beginKnown(`device ${device.id}`));
    const { login } = await deps.access.getLogin({ email: credentials.email, asksSecondFactor: true }, call);
    if (device === undefined || device.membershipId !== login?.membershipId) {
      if (device !== undefined) await beginUnknown();
      // By membership if it is known: several spellings of an address can mean the same account.
      const account = login?.membershipId ?? credentials.email.toLowerCase();
      attempts.push(await deps.attempts.beginUnknown(account, network));
    }
    const matches = await deps.verifyPassword(network, credentials.password, login?.passwordHash);
    if (!matches || login === undefined) {
      mustCount = true;
      conclude('wrong', login?.membershipId);
      throw new ServiceError('unauthenticated', 'the email address or the password is wrong');
    }
    if (roleOf(login) === undefined) {
      conclude('not_owner', login.membershipId);
      throw new ServiceError(
        'permission_denied',
        'only an owner or a viewer of a company can use the console',
      );
    }
    await checkSecondFactor(deps, login, credentials, conclude, call);
    const started = await startSession(deps, ownerOf(login), credentials, call);
    conclude('signed_in', login.membershipId);
    return started;
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

/**
 * Uses up the code of an owner with a second factor. Only a client with the right password comes here. So wrong codes
 * have one limit for the account over all addresses, which no stranger can use up; a known device has a separate one.
 */
async function checkSecondFactor(
  deps: Pick<LogInDeps, 'access' | 'attempts'>,
  login: Login,
  { code: text, device, ...origin }: Credentials,
  conclude: (outcome: string, membershipId: string | undefined) => void,
  call: CallOptions,
): Promise<void> {
  if (login.hasSecondFactor === undefined) {
    // A job-state from before the second factor: it cannot tell, so no one signs in past a factor.
    throw new ServiceError('unavailable', 'the service is being upgraded; retry', { retryAfterSeconds: 1 });
  }
  if (!login.hasSecondFactor) return;
  const { companyId, membershipId, displayName } = ownerOf(login);
  if (text === undefined) {
    conclude('second_factor_required', membershipId);
    throw new ServiceError(
      'second_factor_required',
      'enter the code of your authenticator app, or a recovery code',
    );
  }
  const isKnown = device?.membershipId === membershipId;
  const client = `second factor of ${isKnown ? `device ${device.id}` : membershipId}`;
  const actor = actorOf({ membershipId, displayName }, origin);
  try {
    await tryCode(deps.attempts, { client, text }, (code) =>
      deps.access.useSecondFactor({ companyId, membershipId, actor, code }, call),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.reason === 'second_factor_wrong') {
      conclude('second_factor_wrong', membershipId);
    }
    throw error;
  }
}

async function startSession(
  deps: Pick<LogInDeps, 'sessions' | 'trail'>,
  owner: Owner,
  { remoteAddress, userAgent }: ClientOrigin,
  call: CallOptions,
): Promise<{ readonly token: string; readonly session: OwnerSession }> {
  const origin = { remoteAddress, userAgent };
  const { token, session, displaced } = await deps.sessions.create(owner, origin);
  try {
    await deps.trail.record({ change: 'started', owner, publicId: session.publicId, origin }, call);
  } catch (error) {
    await deps.sessions.end(session);
    throw error;
  } finally {
    // These sessions have ended even if the new one did not start.
    for (const publicId of displaced)
      await deps.trail.note({ change: 'ended', owner, publicId, origin }, call);
  }
  return { token, session };
}

function ownerOf(login: Login): Owner {
  return {
    membershipId: requiredField(login.membershipId, 'login.membership_id'),
    displayName: requiredField(login.displayName, 'login.display_name'),
    companyId: requiredField(login.companyId, 'login.company_id'),
    companyName: requiredField(login.companyName, 'login.company_name'),
    companyClass: requiredField(
      enumName(CompanyClassSchema, companyClass.options, login.companyClass),
      'login.company_class',
    ),
    passwordVersion: requiredField(login.passwordVersion, 'login.password_version'),
    role: requiredField(roleOf(login), 'login.is_owner'),
  };
}
