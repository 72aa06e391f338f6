import { z } from 'zod';
import { boundedText } from '../../values/bounded-text.js';
import { emailAddress } from '../../values/email-address.js';

/**
 * A lead as a partner submits it (spec: LeadIn). Visible to no one through the API: `general` keys of the selling company
 * submit leads, and no operation reads them.
 */
export const leadIn = z
  .object({
    fullName: boundedText({ min: 1, max: 120 }).meta({ description: "The customer's name." }),
    email: emailAddress,
    phone: boundedText({ min: 7, max: 40 }).meta({ description: 'In any notation.' }),
    address: boundedText({ min: 3, max: 500 }).meta({
      description:
        'The address of the work in one text, best with ZIP code. Leads of one company are merged by it; case, punctuation' +
        ' and the usual abbreviations (N. and North, St and Street, Apt and #) do not matter.',
    }),
    smsConsent: z
      .boolean()
      .exactOptional()
      .meta({ description: 'Whether the customer agreed to text messages.' }),
  })
  .meta({ id: 'LeadIn', description: 'A lead as you submit it.' });

export const leadCreated = z
  .object({
    status: z.literal('created').meta({ description: 'A new lead.' }),
    leadId: z.string().meta({ description: 'The id of the lead.' }),
    projectId: z.string().meta({
      description:
        'The project that the lead opens. Quotes, deposits, invoices and rebates name it in their events.',
    }),
  })
  .meta({ id: 'LeadCreated', description: 'A new lead was created.' });

export const leadMerged = z
  .object({
    status: z.literal('merged').meta({ description: 'The lead existed already.' }),
    leadId: z.string().meta({ description: 'The existing lead.' }),
    projectId: z.string().meta({
      description: 'The project of the lead. Quotes, deposits, invoices and rebates name it in their events.',
    }),
    reason: z.string().meta({ description: 'Why they were merged, for people.' }),
  })
  .meta({
    id: 'LeadMerged',
    description: 'The lead was merged into an existing one. The fields of the first one stay.',
  });
