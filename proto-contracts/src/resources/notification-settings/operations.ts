import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import {
  NOTIFICATION_SETTINGS_EXAMPLE,
  notificationSettingsIn,
  shownNotificationSettings,
} from './notification-settings.js';

export const getNotificationSettingsOperation = defineOperation({
  id: 'getNotificationSettings',
  method: 'get',
  path: '/partner-api/notification-settings',
  summary: 'Read your notification settings',
  description:
    'Returns how often you get emails about failing webhooks, dead letters, and secrets, certificates and API keys that expire.',
  responses: {
    200: {
      description: 'Your settings.',
      schema: shownNotificationSettings,
      example: NOTIFICATION_SETTINGS_EXAMPLE,
    },
  },
});

export const setNotificationSettingsOperation = defineOperation({
  id: 'setNotificationSettings',
  method: 'put',
  path: '/partner-api/notification-settings',
  repeatable: true,
  body: notificationSettingsIn,
  summary: 'Change your notification settings',
  description: `
Sets how often you get emails with notifications. It concerns you alone, not the other owners of your company. With \`off\`,
notifications that wait to be mailed are dropped.`,
  bodyExamples: {
    usual: {
      summary: 'One email a day',
      value: { emails: 'daily' } satisfies z.input<typeof notificationSettingsIn>,
    },
  },
  responses: {
    200: {
      description: 'Your settings.',
      schema: shownNotificationSettings,
      example: { ...NOTIFICATION_SETTINGS_EXAMPLE, emails: 'daily' } satisfies z.input<
        typeof shownNotificationSettings
      >,
    },
  },
});
