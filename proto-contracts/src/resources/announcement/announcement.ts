import { z } from 'zod';
import { dateTimeOut } from '../../values/date-time.js';

/** An announcement that was sent to one address, visible to operators alone. */
const announcement = z.object({
  id: z.string(),
  /** Date of its entry on the changelog, `YYYY-MM-DD`. */
  announcement: z.string(),
  companyId: z.string(),
  email: z.string(),
  /** When the mail server accepted it. */
  sentAt: dateTimeOut,
  operator: z.string(),
});

export type Announcement = z.infer<typeof announcement>;

export const announcementPage = z.object({ announcements: z.array(announcement), hasMore: z.boolean() });
