import type { Client } from '@connectrpc/connect';
import type { NotificationService } from '@partner/proto-contracts/gen/partner/notifications/v1/notification_service_pb';
import {
  notificationSettings,
  type shownNotificationSettings,
} from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { getNotificationSettingsOperation } from '@partner/proto-contracts/resources/notification-settings/operations';
import { readResource } from '@partner/proto-contracts/resource-json';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { Mailer } from '@partner/kernel/mail';
import type { z } from 'zod';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/notification-settings`: how often the owner gets emails. */
export function getNotificationSettings(deps: {
  readonly notifications: Pick<Client<typeof NotificationService>, 'getNotificationSettings'>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getNotificationSettingsOperation, async ({ principal, call }) => {
    const { companyId, membershipId } = principal;
    const response = await deps.notifications.getNotificationSettings({ companyId, membershipId }, call);
    const json: z.input<typeof shownNotificationSettings> = {
      ...readResource(notificationSettings, response),
      hasMailServer: deps.mailer !== undefined,
    };
    return { status: 200, json };
  });
}
