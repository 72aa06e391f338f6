import { z } from 'zod';
import { boundedText } from './bounded-text.js';

/** A lead as a partner hands it in (spec: LeadIn). */
export const leadIn = z.object({
  fullName: boundedText({ min: 1, max: 120 }),
  email: z.email().max(254),
  phone: boundedText({ min: 7, max: 40 }),
  address: boundedText({ min: 3, max: 500 }),
  smsConsent: z.boolean().optional(),
});

export type LeadIn = z.infer<typeof leadIn>;

/** The answer for a new lead (spec: LeadCreated). */
export const leadCreated = z.object({ status: z.literal('created'), leadId: z.string() });

/** The answer for a lead that was merged (spec: LeadMerged). */
export const leadMerged = z.object({
  status: z.literal('merged'),
  leadId: z.string(),
  projectId: z.string(),
  reason: z.string(),
});
