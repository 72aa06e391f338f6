import { TOTP } from 'otpauth';

/** Returns the code that an authenticator app shows at an instant. */
export function totpCode(secret: string, at: Date): string {
  return new TOTP({ secret }).generate({ timestamp: at.getTime() });
}
