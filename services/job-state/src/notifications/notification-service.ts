import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import {
  type NotificationEmailOutcome,
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
import { leaseNotices, reportNotice } from './lease-notices.js';
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

    async leaseSecurityNotices(request, context) {
      const limits = { timeoutMs: context.timeoutMs() };
      const notices = await leaseNotices(deps.database, pageSize(request.limit), limits);
      return {
        notices: notices.map(({ firstAt, lastAt, details: detailsJson, ...notice }) => ({
          ...notice,
          detailsJson,
          firstAt: timestampFromDate(firstAt),
          lastAt: timestampFromDate(lastAt),
        })),
      };
    },

    async reportSecurityNotice(request, context) {
      const report = {
        leaseId: required(request.leaseId, 'lease_id'),
        outcome: outcomeOf(request),
      };
      await reportNotice(deps.database, report, { timeoutMs: context.timeoutMs() });
      return {};
    },

    async reportNotificationEmail(request, context) {
      await reportEmail(
        deps,
        {
          leaseId: required(request.leaseId, 'lease_id'),
          membershipId: required(request.membershipId, 'membership_id'),
          outcome: outcomeOf(request),
        },
        { timeoutMs: context.timeoutMs() },
      );
      return {};
    },
  };
}

function outcomeOf({ outcome }: { readonly outcome?: NotificationEmailOutcome | undefined }) {
  const known = enumName(NotificationEmailOutcomeSchema, ['sent', 'refused', 'failed'], outcome);
  return required(known, 'known outcome');
}
