import type { Implementation } from '@partner/kernel/amqp/implement';
import { EMAIL_OPERATIONS } from './emails.js';
import type { NotificationOperation } from './notification-deps.js';
import { NOTIFICATION_SETTINGS_OPERATIONS } from './notification-settings.js';
import { SECURITY_NOTICE_OPERATIONS } from './security-notices.js';

/** The operations with which owners choose their emails, and the console sends them. */
export function notificationOperations(
  deps: Parameters<NotificationOperation>[0],
): readonly Implementation[] {
  return [...NOTIFICATION_SETTINGS_OPERATIONS, ...EMAIL_OPERATIONS, ...SECURITY_NOTICE_OPERATIONS].map(
    (operation) => operation(deps),
  );
}
