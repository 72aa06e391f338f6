import { randomBytes } from 'node:crypto';
import type { SecondFactorCode } from '@partner/proto-contracts/internal/access/second-factor';
import { RECOVERY_CODE_COUNT } from '@partner/proto-contracts/resources/second-factor/second-factor';
import { tokenSha256 } from '@partner/kernel/security/token-sha256';
import { ServiceError } from '@partner/kernel/process/service-error';
import { hasReason } from '../refusals.js';
import { countFailures, type LoginAttempts } from './login-attempts.js';

const TOTP = /^[0-9]{6}$/;
// Base32: 5 bits a character, so 80 bits, which no one can guess from the hashes.
const RECOVERY_ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const RECOVERY_CODE = /^[a-z2-7]{16}$/;

/** Creates the recovery codes of one owner, four groups of four characters each, and the hashes that are stored of them. */
export function newRecoveryCodes() {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, () =>
    Array.from(randomBytes(16), (byte) => RECOVERY_ALPHABET.charAt(byte % RECOVERY_ALPHABET.length)).join(''),
  );
  return {
    texts: codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-')),
    sha256s: codes.map(tokenSha256),
  };
}

/**
 * Makes a call with a code that a person typed, and counts it as a failed attempt of `client` if it is wrong. Fails with
 * `second_factor_wrong`, and with `rate_limited` after 10 in 15 minutes.
 */
export async function tryCode<Result>(
  attempts: Pick<LoginAttempts, 'beginKnown'>,
  { client, text }: { readonly client: string; readonly text: string },
  run: (code: SecondFactorCode) => Promise<Result>,
): Promise<Result> {
  const code = readCode(text);
  return countFailures(['second_factor_wrong'], async (begin) => {
    await begin(attempts.beginKnown(client));
    // job-state refuses a text of another form, so that it is in the audit trail as any wrong code.
    return run(code ?? {});
  }).catch((error: unknown) => {
    if (code !== undefined || !hasReason(error, 'second_factor_wrong')) throw error;
    throw new ServiceError(
      'second_factor_wrong',
      'the code must be the 6 digits of your authenticator app or a recovery code of 16 characters',
    );
  });
}

function readCode(text: string): SecondFactorCode | undefined {
  const code = text.replace(/[\s-]/g, '').toLowerCase();
  if (TOTP.test(code)) return { totp: code };
  if (RECOVERY_CODE.test(code)) return { recoveryCodeSha256: tokenSha256(code) };
  return undefined;
}
