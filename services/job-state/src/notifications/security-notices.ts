import {
  leaseSecurityNoticesOperation,
  reportSecurityNoticeOperation,
  type SecurityNotice,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import { implementInternal } from '@partner/kernel/amqp/implement';
import type { NotificationOperation } from './notification-deps.js';

/**
 * Leases up to `limit` security notices that are due to one caller, for 5 minutes.
 *
 * The first of equal ones is due at once; later ones an hour after the previous email about the same, as one. Locks: the
 * notices, without waiting for any.
 */
const leaseNotices: NotificationOperation = ({ database }) =>
  implementInternal(leaseSecurityNoticesOperation, async ({ limit }, { timeoutMs }) => {
    const leased = await database.query<
      Omit<SecurityNotice, 'firstAt' | 'lastAt'> & { readonly firstAt: Date; readonly lastAt: Date }
    >(
      `with due as (
           select n.company_id, n.kind, n.subject_id, n.email, c.name
           from security_notices n join companies c on c.id = n.company_id
           where n.count > 0 and (n.not_before is null or n.not_before <= now())
             and (n.mailed_at is null or n.mailed_at <= now() - interval '1 hour')
           order by n.last_at limit $1
           for no key update of n skip locked
         )
         update security_notices n set
           lease_id = gen_random_uuid()::text, leased_count = n.count, not_before = now() + interval '5 minutes'
         from due
         where (n.company_id, n.kind, n.subject_id, n.email) = (due.company_id, due.kind, due.subject_id, due.email)
         returning n.lease_id as "leaseId", n.email, due.name as "companyName", n.kind, n.details::text as "detailsJson", n.count,
           n.first_at as "firstAt", n.last_at as "lastAt"`,
      [limit],
      { timeoutMs: timeoutMs() },
    );
    return {
      notices: leased.map(({ firstAt, lastAt, ...notice }) => ({
        ...notice,
        firstAt: firstAt.toISOString(),
        lastAt: lastAt.toISOString(),
      })),
    };
  });

/**
 * Records the outcome of a leased notice.
 *
 * One that was not sent is due again after 5 minutes, or after a day if the mail server refused it for good. The report of a lease that
 * has ended changes nothing. If the caller ends before its report, the email is sent once more.
 *
 * Lock: the notice.
 */
const reportNotice: NotificationOperation = ({ database }) =>
  implementInternal(reportSecurityNoticeOperation, async ({ leaseId, outcome }, { timeoutMs }) => {
    await database.query(
      `update security_notices set lease_id = null, leased_count = null,
           count = case $2 when 'sent' then count - leased_count else count end,
           first_at = case $2 when 'sent' then last_at else first_at end,
           mailed_at = case $2 when 'sent' then now() else mailed_at end,
           not_before = case $2
             when 'refused' then now() + interval '1 day'
             when 'failed' then now() + interval '5 minutes'
           end
         where lease_id = $1`,
      [leaseId, outcome],
      { timeoutMs: timeoutMs() },
    );
    return {};
  });

/** The operations with which the console sends the security notices. */
export const SECURITY_NOTICE_OPERATIONS = [leaseNotices, reportNotice];
