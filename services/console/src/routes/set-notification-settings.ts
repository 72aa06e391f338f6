import type { Client } from '@connectrpc/connect';
import type { NotificationService } from '@partner/proto-contracts/gen/partner/notifications/v1/notification_service_pb';
import {
  notificationSettings,
  type shownNotificationSettings,
} from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { setNotificationSettingsOperation } from '@partner/proto-contracts/resources/notification-settings/operations';
import { readResource } from '@partner/proto-contracts/resource-json';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { Mailer } from '@partner/kernel/mail';
import type { z } from 'zod';
import { actingOwner } from '../acting-owner.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `PUT /partner-api/notification-settings`: how often the owner gets emails. */
export function setNotificationSettings(deps: {
  readonly notifications: Pick<Client<typeof NotificationService>, 'setNotificationSettings'>;
  /** Absent: no mail server is configured. */
  readonly mailer?: Mailer | undefined;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(setNotificationSettingsOperation, async (request) => {
    const { companyId, actor } = actingOwner(request);
    const { emails } = request.body;
    const response = await deps.notifications.setNotificationSettings(
      { companyId, actor, emails },
      request.call,
    );
    const json: z.input<typeof shownNotificationSettings> = {
      ...readResource(notificationSettings, response),
      hasMailServer: deps.mailer !== undefined,
    };
    return { status: 200, json };
  });
}
