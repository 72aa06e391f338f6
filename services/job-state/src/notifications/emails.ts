import {
  leaseNotificationEmailsOperation,
  type NotificationEmail,
  reportNotificationEmailOperation,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import { implementInternal } from '@partner/kernel/amqp/implement';
import { canSignIn } from '../access/membership.js';
import type { Transaction } from '../database/database.js';
import type { NotificationOperation } from './notification-deps.js';

/** Notifications that one email lists. */
const MAX_LISTED = 50;

/**
 * Leases up to `limit` emails that are due to one caller, for 5 minutes.
 *
 * An email is due for an owner with queued notifications, an hour after the previous email to that owner at the earliest, or
 * a day if the owner wants one a day. It has all notifications that are queued by then. Locks: the recipients, without waiting
 * for any.
 */
const leaseEmails: NotificationOperation = ({ database, clock }) =>
  implementInternal(leaseNotificationEmailsOperation, async ({ limit }, { timeoutMs }) => ({
    emails: await database.transaction((tx) => lease(tx, clock(), limit), { timeoutMs: timeoutMs() }),
  }));

async function lease(tx: Transaction, now: Date, limit: number): Promise<NotificationEmail[]> {
  const leased = await tx.query<Omit<NotificationEmail, 'eventBodies' | 'total'>>(
    `with due as (
         select r.membership_id, m.email, c.name
         from notification_recipients r
         join memberships m on m.id = r.membership_id
         join companies c on c.id = m.company_id
         where r.membership_id in (select e.membership_id from notification_emails e)
           and r.emails <> 'off' and m.role = 'OWNER' and m.active and m.email is not null and ${canSignIn('m')}
           and (r.not_before is null or r.not_before <= $1)
           and (r.mailed_at is null
             or r.mailed_at + case r.emails when 'daily' then interval '1 day' else interval '1 hour' end <= $1)
         order by r.mailed_at nulls first, r.membership_id
         limit $2
         for no key update of r skip locked
       )
       update notification_recipients r
       set lease_id = gen_random_uuid()::text, not_before = $1::timestamptz + interval '5 minutes'
       from due where r.membership_id = due.membership_id
       returning r.lease_id as "leaseId", r.membership_id as "membershipId", due.email, due.name as "companyName", r.emails`,
    [now, limit],
  );
  if (leased.length === 0) return [];
  const leases = [leased.map(({ membershipId }) => membershipId), leased.map(({ leaseId }) => leaseId)];
  void tx.query(
    `update notification_emails e set lease_id = leased.lease_id
       from unnest($1::text[], $2::text[]) as leased (membership_id, lease_id)
       where e.membership_id = leased.membership_id`,
    leases,
  );
  const notifications = await tx.query<{ leaseId: string; body: Buffer; total: number }>(
    `select * from (
         select e.lease_id as "leaseId", ev.body, count(*) over (partition by e.membership_id)::integer as total,
           row_number() over (partition by e.membership_id order by e.event_id) as place
         from notification_emails e join events ev on ev.id = e.event_id
         where e.membership_id = any($1::text[]) and e.lease_id = any($2::text[])
       ) listed
       where place <= $3
       order by place`,
    [...leases, MAX_LISTED],
  );
  return leased.map((email) => {
    const own = notifications.filter(({ leaseId }) => leaseId === email.leaseId);
    return { ...email, eventBodies: own.map(({ body }) => body.toString('utf8')), total: own[0]?.total ?? 0 };
  });
}

/**
 * Records the outcome of a leased email.
 *
 * A sent one takes its notifications off the queue; those that were queued since the lease stay. Another one is due again after
 * 5 minutes, or after a day if the mail server refused it for good. The report of a lease that has ended changes nothing. If
 * the caller ends before its report, the email is sent once more.
 *
 * Lock: the recipient.
 */
const reportEmail: NotificationOperation = ({ database, clock }) =>
  implementInternal(reportNotificationEmailOperation, async (report, { timeoutMs }) => {
    const { leaseId, membershipId, outcome } = report;
    await database.transaction(
      async (tx) => {
        const reported = await tx.query(
          `update notification_recipients set lease_id = null,
         mailed_at = case $3 when 'sent' then $4::timestamptz else mailed_at end,
         not_before = case $3
           when 'refused' then $4::timestamptz + interval '1 day'
           when 'failed' then $4::timestamptz + interval '5 minutes'
         end
       where membership_id = $1 and lease_id = $2
       returning 1`,
          [membershipId, leaseId, outcome, clock()],
        );
        if (reported.length === 0 || outcome !== 'sent') return;
        void tx.query('delete from notification_emails where membership_id = $1 and lease_id = $2', [
          membershipId,
          leaseId,
        ]);
      },
      { timeoutMs: timeoutMs() },
    );
    return {};
  });

/** The operations with which the console sends the notifications to owners. */
export const EMAIL_OPERATIONS = [leaseEmails, reportEmail];
