import { z } from 'zod';

const EMAIL_FREQUENCIES = ['immediately', 'daily', 'off'] as const;

const emails = z.enum(EMAIL_FREQUENCIES).meta({
  description:
    'How often you get emails: `immediately` sends the first notification immediately, and then at most one email an hour with all new ones; `daily` sends at most one email a day; `off` sends none.',
});

export const notificationSettingsIn = z
  .object({ emails })
  .meta({ id: 'NotificationSettingsIn', description: 'How often you get emails with notifications.' });

/** Visible to that owner only. */
const notificationSettings = z.object({
  emails,
  email: z.string().nullable().meta({
    description: 'Your address, which gets the emails; null if your account has none.',
  }),
});

export type NotificationSettings = z.infer<typeof notificationSettings>;

export const shownNotificationSettings = notificationSettings
  .extend({
    hasMailServer: z
      .boolean()
      .meta({ description: 'False where the service has no mail server: it sends no emails.' }),
  })
  .meta({ id: 'NotificationSettings', description: 'How you are notified by email.' });

export const NOTIFICATION_SETTINGS_EXAMPLE = {
  emails: 'immediately',
  email: 'olive@sunny.example',
  hasMailServer: true,
} as const satisfies z.input<typeof shownNotificationSettings>;
