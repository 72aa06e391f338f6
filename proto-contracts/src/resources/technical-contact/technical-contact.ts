import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';
import { emailAddress } from '../../values/email-address.js';

export const TECHNICAL_CONTACT_LIMITS = {
  /** Validity of the link that is mailed to a new address, in hours. */
  confirmationHours: 72,
  /** Maximum confirmation emails per company in any 60 seconds. */
  emailsPerMinute: 3,
  /** Maximum links that one client address can try in any 60 seconds. */
  confirmationsPerMinute: 20,
} as const;

export const technicalContactIn = z
  .object({
    // Mail servers disagree on quoted local parts, but the link must go to exactly the stored address.
    // A refinement: with a second pattern, several generators fail.
    email: emailAddress
      .refine((text) => !text.includes('"'), 'must have no quotation marks, e.g. ada@example.com')
      .meta({
        description:
          'In ASCII and without quotation marks; write an internationalized domain in Punycode (`xn--…`).',
      }),
  })
  .meta({ id: 'TechnicalContactIn', description: 'An address to announce new versions to.' });

/** Visible to the owners of the company. */
export const technicalContact = z
  .object({
    email: z.string().nullable().meta({
      description: 'The confirmed address, which receives announcements; null if none was ever confirmed.',
    }),
    confirmedAt: dateTimeOut.nullable().meta({ description: 'When it was confirmed.' }),
    pending: z
      .object({
        email: z.string().meta({ description: 'The address.' }),
        expiresAt: dateTimeOut.meta({ description: 'When the link in the email expires.' }),
      })
      .meta({ id: 'PendingContact', description: 'An address with a pending confirmation.' })
      .nullable()
      .meta({ description: 'The address with a pending confirmation; null without one.' }),
  })
  .meta({ id: 'TechnicalContact', description: 'The recipient of announcements of new versions.' });

export type TechnicalContact = z.infer<typeof technicalContact>;

export const technicalContactRequested = technicalContact
  .extend({
    emailSent: z.boolean().meta({
      description: 'False where the service has no mail server: no address can be confirmed there.',
    }),
  })
  .meta({ id: 'TechnicalContactRequested', description: 'The technical contact after an address is set.' });

export const technicalContactConfirmationIn = z
  .object({ token: z.string().min(1).max(100).meta({ description: 'The part of the link after `#`.' }) })
  .meta({ id: 'TechnicalContactConfirmationIn', description: 'The token of a link that was mailed.' });

export const CONTACT_EXAMPLE = {
  email: 'api@sunny.example',
  confirmedAt: '2026-08-27T09:12:44.108Z',
  pending: null,
} as const satisfies z.input<typeof technicalContact>;
