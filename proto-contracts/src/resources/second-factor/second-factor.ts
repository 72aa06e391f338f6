import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

export const RECOVERY_CODE_COUNT = 10;

export const secondFactorCode = z.string().min(6).max(40).meta({
  description:
    'The 6 digits that the authenticator app shows, or an unused recovery code. Spaces, hyphens and case do not matter.',
});

export const secondFactorCodeIn = z
  .object({ code: secondFactorCode })
  .meta({ id: 'SecondFactorCodeIn', description: 'A code of the second factor.' });

/** Visible to that owner alone. */
export const secondFactor = z
  .object({
    enabled: z.boolean().meta({ description: 'True: sign-in asks for a code after the password.' }),
    enabledAt: dateTimeOut.nullable().meta({ description: 'When it was enabled; null if it is not.' }),
    recoveryCodesLeft: z
      .int()
      .nonnegative()
      .meta({ description: 'Unused recovery codes, 0 if it is not enabled.' }),
  })
  .meta({ id: 'SecondFactor', description: 'The second factor of the owner.' });

export type SecondFactor = z.infer<typeof secondFactor>;

export const secondFactorSecret = z
  .object({
    secret: z.string().meta({ description: 'The secret in base32, to type into an authenticator app.' }),
    uri: z.string().meta({ description: 'The same as an `otpauth` URI, to show as a QR code.' }),
  })
  .meta({ id: 'SecondFactorSecret', description: 'The pending secret. It is shown once.' });

export type SecondFactorSecret = z.infer<typeof secondFactorSecret>;

export const recoveryCodes = z
  .object({
    recoveryCodes: z
      .array(z.string())
      .length(RECOVERY_CODE_COUNT)
      .meta({ description: 'Each replaces the code of the app once.' }),
  })
  .meta({ id: 'RecoveryCodes', description: 'New recovery codes. They are shown once.' });

export const SECOND_FACTOR_EXAMPLE = {
  enabled: true,
  enabledAt: '2026-11-25T09:12:44.108Z',
  recoveryCodesLeft: 10,
} as const satisfies SecondFactor;
