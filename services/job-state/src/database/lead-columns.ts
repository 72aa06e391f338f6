import type { leadIn } from '@partner/proto-contracts/resources/lead/lead';
import type { z } from 'zod';
import { type Column, column } from './columns.js';

/** The columns of a submitted lead, in `leads` and in `lead_submissions`. All are personal. */
export const LEAD = {
  fullName: column('full_name', 'text'),
  email: column('email', 'text'),
  phone: column('phone', 'text'),
  address: column('address', 'text'),
  smsConsent: column('sms_consent', 'boolean'),
} as const satisfies Readonly<Record<keyof z.infer<typeof leadIn>, Column<unknown>>>;
