import { z } from 'zod';
import { defineInternalOperation } from '../../api/operation.js';
import { announcementPage } from '../../resources/announcement/announcement.js';
import { pageSize } from './page-size.js';

const recipient = {
  /** The date of its entry in the changelog, `YYYY-MM-DD`. */
  announcement: z.string(),
  companyId: z.string(),
  email: z.string(),
};

/** Lists the confirmed contacts that have not received an announcement, by company. */
export const listAnnouncementRecipientsOperation = defineInternalOperation({
  id: 'listAnnouncementRecipients',
  repeatable: true,
  input: z.object({
    announcement: recipient.announcement,
    afterCompanyId: z.string().optional(),
    limit: pageSize,
  }),
  output: z.object({
    recipients: z.array(z.object({ companyId: z.string(), companyName: z.string(), email: z.string() })),
    hasMore: z.boolean(),
  }),
});

/** Claims an announcement for one run. `claimed` is false if it was sent, or if another run has claimed it in the last 5 minutes. */
export const claimAnnouncementOperation = defineInternalOperation({
  id: 'claimAnnouncement',
  // A repeat would find it claimed.
  repeatable: false,
  input: z.object(recipient),
  output: z.object({ claimed: z.boolean() }),
});

export const releaseAnnouncementOperation = defineInternalOperation({
  id: 'releaseAnnouncement',
  repeatable: true,
  input: z.object(recipient),
  output: z.object({}),
});

export const recordAnnouncementOperation = defineInternalOperation({
  id: 'recordAnnouncement',
  repeatable: true,
  input: z.object(recipient),
  output: z.object({}),
});

export const listAnnouncementsOperation = defineInternalOperation({
  id: 'listAnnouncements',
  repeatable: true,
  input: z.object({
    announcement: z.string().optional(),
    beforeId: z.string().optional(),
    limit: pageSize,
  }),
  output: announcementPage,
});
