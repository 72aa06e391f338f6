import { NotificationService } from '@partner/proto-contracts/gen/partner/notifications/v1/notification_service_pb';
import { type RpcService, rpcService } from '@partner/kernel/amqp/rpc-service';
import { resourceResponse } from './resource-response.js';

/** Creates a notification service with in-memory settings and no emails. */
export function createFakeNotificationService(): RpcService {
  const settings = new Map<string, string>();
  const shown = (membershipId = '') =>
    resourceResponse({
      emails: settings.get(membershipId) ?? 'immediately',
      email: `${membershipId}@owner.example`,
    });
  return rpcService(NotificationService, {
    getNotificationSettings: ({ membershipId }) => shown(membershipId),
    setNotificationSettings: ({ actor, emails = '' }) => {
      settings.set(actor?.membershipId ?? '', emails);
      return shown(actor?.membershipId);
    },
    leaseNotificationEmails: () => ({ emails: [] }),
    reportNotificationEmail: () => ({}),
    leaseSecurityNotices: () => ({ notices: [] }),
    reportSecurityNotice: () => ({}),
  });
}
