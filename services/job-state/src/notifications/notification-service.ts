import type { ServiceImpl } from '@connectrpc/connect';
import {
  NotificationEmailOutcomeSchema,
  type NotificationService,
} from '@partner/proto-contracts/gen/partner/notifications/v1/notification_service_pb';
import { notificationSettingsIn } from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { enumName } from '@partner/proto-contracts/values/enum-names';
import { invalidArgument, validate } from '@partner/kernel/validation';
import { actorOf } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { callerLimits } from '../rpc/caller-limits.js';
import { pageSize } from '../rpc/page-size.js';
import { required } from '../rpc/required.js';
import { leaseEmails, reportEmail } from './lease-emails.js';
import { getNotificationSettings, setNotificationSettings } from './notification-settings.js';

/** Serves the RPCs with which owners choose their emails, and the console sends them. */
export function createNotificationService(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}): ServiceImpl<typeof NotificationService> {
  return {
    async getNotificationSettings(request, context) {
      const settings = await getNotificationSettings(
        queryWithin(deps.database, callerLimits(request, context)),
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(request.membershipId, 'membership_id'),
        },
      );
      return { resourceJson: JSON.stringify(settings) };
    },

    async setNotificationSettings(request, context) {
      const checked = validate(notificationSettingsIn, { emails: request.emails }, 'body');
      if (!checked.valid) throw invalidArgument(checked.violations);
      const actor = required(actorOf(request), 'actor');
      const settings = await setNotificationSettings(
        deps.database,
        {
          companyId: required(request.companyId, 'company_id'),
          membershipId: required(actor.membershipId, 'actor.membership_id'),
          actor,
          emails: checked.value.emails,
        },
        callerLimits(request, context),
      );
      return { resourceJson: JSON.stringify(settings) };
    },

    async leaseNotificationEmails(request, context) {
      const leased = await leaseEmails(deps, pageSize(request.limit), { timeoutMs: context.timeoutMs() });
      return { emails: leased.map((email) => ({ ...email, eventBodies: [...email.eventBodies] })) };
    },

    async reportNotificationEmail(request, context) {
      const outcome = enumName(
        NotificationEmailOutcomeSchema,
        ['sent', 'refused', 'failed'],
        request.outcome,
      );
      await reportEmail(
        deps,
        {
          leaseId: required(request.leaseId, 'lease_id'),
          membershipId: required(request.membershipId, 'membership_id'),
          outcome: required(outcome, 'known outcome'),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },
  };
}
