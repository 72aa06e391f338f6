import { Secret, TOTP } from 'otpauth';

const STEP_SECONDS = 30;

/** Steps before and after the current one that are accepted, for clocks that differ. */
const WINDOW = 1;

// What every authenticator app supports.
const CODES = { algorithm: 'SHA1', digits: 6, period: STEP_SECONDS } as const;

/** Returns a new secret of 160 bits in base32. */
export function newTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

export function totpUri(of: {
  readonly secret: string;
  readonly issuer: string;
  readonly account: string;
}): string {
  return new TOTP({ ...CODES, issuer: of.issuer, label: of.account, secret: of.secret }).toString();
}

/**
 * Returns the time step of a code (RFC 6238): the current one, the one before or the one after. Undefined for any other
 * code.
 */
export function totpStep(secret: string, code: string, now: Date): number | undefined {
  const totp = new TOTP({ ...CODES, secret });
  const timestamp = now.getTime();
  const delta = totp.validate({ token: code, timestamp, window: WINDOW });
  return delta === null ? undefined : totp.counter({ timestamp }) + delta;
}
