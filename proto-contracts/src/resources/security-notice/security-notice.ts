import { z } from 'zod';

/** What people learn by email, whatever their settings: changes that a takeover of an account or a company makes. */
export const SECURITY_NOTICE_KINDS = [
  'password_changed',
  'provider_linked',
  'second_factor_enabled',
  'second_factor_disabled',
  'second_factor_wrong',
  'recovery_code_used',
  'recovery_codes_replaced',
  'owner_added',
  'technical_contact_replaced',
  'webhooks_proposed',
] as const;

export type SecurityNoticeKind = (typeof SECURITY_NOTICE_KINDS)[number];

/** The last occasion of a security notice. Fields of other kinds are absent. */
export const securityNoticeDetails = z.object({
  /** Who did it, if not the person themselves. */
  by: z.string().optional(),
  remoteAddress: z.string().optional(),
  userAgent: z.string().optional(),
  displayName: z.string().optional(),
  issuer: z.string().optional(),
  /** Recovery codes that are left. */
  left: z.number().optional(),
  proposalId: z.string().optional(),
  /** What a proposal would change, one line each. */
  plan: z.string().optional(),
  source: z.string().optional(),
});
