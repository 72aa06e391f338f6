import { z } from 'zod';

/** Length of a new password, in characters. A login accepts as many. */
export const PASSWORD_LENGTH = { min: 12, max: 1_024 } as const;

/** A password that an owner chooses. */
const newPassword = z
  .string()
  .min(PASSWORD_LENGTH.min, `must have at least ${PASSWORD_LENGTH.min} characters`)
  .max(PASSWORD_LENGTH.max, `must have at most ${PASSWORD_LENGTH.max} characters`)
  .meta({
    description: 'The new password: not the email address, the name of the owner or the name of the company.',
  });

/** Body of `PUT /partner-api/password`. */
export const passwordChangeIn = z
  .object({
    currentPassword: z
      .string()
      .min(1)
      .max(PASSWORD_LENGTH.max)
      .meta({ description: 'The present password of the signed-in owner.' }),
    newPassword,
  })
  .meta({ id: 'PasswordChangeIn', description: 'A new password, with the present one as proof.' });
