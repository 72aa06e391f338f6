import {
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { callingOwner } from '../audit/actor.js';
import { type Database, queryWithin } from '../database/database.js';
import { leaseEmails, reportEmail } from './lease-emails.js';
import { leaseNotices, reportNotice } from './lease-notices.js';
import { getNotificationSettings, setNotificationSettings } from './notification-settings.js';

/**
 * The operations with which owners choose their emails, and the console sends them. The console adds to the settings whether there is a
 * mail server.
 */
export function notificationOperations(deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}): readonly Implementation[] {
  const { database } = deps;
  return [
    implement(getNotificationSettingsOperation, async ({ companyId, caller, timeoutMs }) => {
      const { membershipId } = callingOwner(caller);
      const within = queryWithin(database, { companyId, timeoutMs: timeoutMs() });
      return { json: JSON.stringify(await getNotificationSettings(within, { companyId, membershipId })) };
    }),
    implement(setNotificationSettingsOperation, async ({ companyId, caller, body, timeoutMs }) => {
      const actor = callingOwner(caller);
      const { membershipId } = actor;
      const settings = await setNotificationSettings(
        database,
        { companyId, membershipId, actor, emails: body.emails },
        { companyId, timeoutMs: timeoutMs() },
      );
      return { json: JSON.stringify(settings) };
    }),
    implementInternal(leaseNotificationEmailsOperation, async ({ limit }, { timeoutMs }) => {
      const leased = await leaseEmails(deps, limit, { timeoutMs: timeoutMs() });
      return { emails: leased.map((email) => ({ ...email, eventBodies: [...email.eventBodies] })) };
    }),
    implementInternal(reportNotificationEmailOperation, async (report, { timeoutMs }) => {
      await reportEmail(deps, report, { timeoutMs: timeoutMs() });
      return {};
    }),
    implementInternal(leaseSecurityNoticesOperation, async ({ limit }, { timeoutMs }) => {
      const leased = await leaseNotices(database, limit, { timeoutMs: timeoutMs() });
      return {
        notices: leased.map(({ firstAt, lastAt, details: detailsJson, ...notice }) => ({
          ...notice,
          detailsJson,
          firstAt: firstAt.toISOString(),
          lastAt: lastAt.toISOString(),
        })),
      };
    }),
    implementInternal(reportSecurityNoticeOperation, async (report, { timeoutMs }) => {
      await reportNotice(database, report, { timeoutMs: timeoutMs() });
      return {};
    }),
  ];
}
