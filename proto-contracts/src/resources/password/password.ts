import { z } from 'zod';
import { emailAddress } from '../../values/email-address.js';

/** Length of a new password, in characters. A login accepts as many. */
export const PASSWORD_LENGTH = { min: 12, max: 1_024 } as const;

export const PASSWORD_LINKS = {
  minutes: 30,
  /** Maximum links that one client network can request in any 15 minutes. */
  perNetwork: 20,
  /** Maximum links that one client network can try in any 60 seconds. */
  usesPerMinute: 20,
} as const;

/** Maximum emails of one kind to one address, over all companies. */
export const EMAIL_LIMITS = { perHour: 3, perDay: 10 } as const;

const newPassword = z
  .string()
  .min(PASSWORD_LENGTH.min, `must have at least ${PASSWORD_LENGTH.min} characters`)
  .max(PASSWORD_LENGTH.max, `must have at most ${PASSWORD_LENGTH.max} characters`)
  // Of decomposed letters, most are more characters than letters.
  .refine((password) => password.normalize('NFC').length >= PASSWORD_LENGTH.min, {
    error: `must have at least ${PASSWORD_LENGTH.min} characters`,
    when: ({ issues }) => issues.length === 0,
  })
  .meta({
    description: 'The new password: not the email address, the name of the owner or the name of the company.',
  });

export const passwordChangeIn = z
  .object({
    currentPassword: z
      .string()
      .min(1)
      .max(PASSWORD_LENGTH.max)
      .meta({ description: 'The current password of the signed-in owner.' }),
    newPassword,
  })
  .meta({ id: 'PasswordChangeIn', description: 'A new password, with the current one as proof.' });

export const passwordLinkIn = z
  .object({ email: emailAddress })
  .meta({ id: 'PasswordLinkIn', description: 'The email address of an account.' });

const token = z.string().min(1).max(100).meta({ description: 'The part of the link after `#`.' });

export const passwordLinkReadIn = z
  .object({ token })
  .meta({ id: 'PasswordLinkReadIn', description: 'The token of a mailed link.' });

export const passwordLinkOwner = z
  .object({
    displayName: z.string().meta({ description: 'The name of the person.' }),
    companyName: z.string().meta({ description: 'The name of the company.' }),
    email: z.string().meta({ description: 'The address with which the person signs in.' }),
  })
  .meta({ id: 'PasswordLinkOwner', description: 'The person of a mailed link.' });

export const passwordLinkUseIn = z
  .object({ token, newPassword })
  .meta({ id: 'PasswordLinkUseIn', description: 'The token of a mailed link, and the new password.' });
