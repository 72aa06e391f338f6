import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';

const lease = z.object({ limit: z.int().min(1).max(100) });

const notificationEmail = z.object({
  leaseId: z.string(),
  membershipId: z.string(),
  email: z.string(),
  companyName: z.string(),
  emails: z.string(),
  /** Bodies of the events, oldest first, at most 50. */
  eventBodies: z.array(z.string()),
  total: z.int(),
});

/** One email to one owner, with everything since the previous one. */
export type NotificationEmail = z.infer<typeof notificationEmail>;

const securityNotice = z.object({
  leaseId: z.string(),
  email: z.string(),
  companyName: z.string(),
  kind: z.string(),
  /** JSON text about the last occasion: `securityNoticeDetails`. */
  detailsJson: z.string(),
  count: z.int(),
  firstAt: z.iso.datetime(),
  lastAt: z.iso.datetime(),
});

/** One email to one address about equal occasions since the previous one. */
export type SecurityNotice = z.infer<typeof securityNotice>;

const emailOutcome = z.enum(['sent', 'refused', 'failed']);

/** What became of a leased email: accepted by the mail server, refused for good, or not accepted. */
export type EmailOutcome = z.infer<typeof emailOutcome>;

/** Leases due emails of all companies to one caller for 5 minutes. */
export const leaseNotificationEmailsOperation = defineInternalOperation({
  id: 'leaseNotificationEmails',
  // A repeat leases other emails, and the first ones are due again after their lease.
  repeatable: false,
  input: lease,
  output: z.object({ emails: z.array(notificationEmail) }),
});

/** Reports the outcome of a leased email. The report of a lease that has ended changes nothing. */
export const reportNotificationEmailOperation = defineInternalOperation({
  id: 'reportNotificationEmail',
  // A lease ends with its first report.
  repeatable: true,
  input: z.object({ leaseId: z.string(), membershipId: z.string(), outcome: emailOutcome }),
  output: z.object({}),
});

/** Leases due security notices of all companies to one caller for 5 minutes. */
export const leaseSecurityNoticesOperation = defineInternalOperation({
  id: 'leaseSecurityNotices',
  // As for emails.
  repeatable: false,
  input: lease,
  output: z.object({ notices: z.array(securityNotice) }),
});

/** Reports the outcome of a leased notice. The report of a lease that has ended changes nothing. */
export const reportSecurityNoticeOperation = defineInternalOperation({
  id: 'reportSecurityNotice',
  // A lease ends with its first report.
  repeatable: true,
  input: z.object({ leaseId: z.string(), outcome: emailOutcome }),
  output: z.object({}),
});
