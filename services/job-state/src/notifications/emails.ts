import {
  leaseNotificationEmailsOperation,
  leaseSecurityNoticesOperation,
  type NotificationEmail,
  reportNotificationEmailOperation,
  reportSecurityNoticeOperation,
  type SecurityNotice,
} from '@partner/proto-contracts/internal/notifications/notification-emails';
import type { NotificationSettings } from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import { type Implementation, implement, implementInternal } from '@partner/kernel/amqp/implement';
import { notFound } from '@partner/kernel/process/service-error';
import { canSignIn, type MembershipOfCompany } from '../access/colleagues/membership.js';
import { callingOwner } from '../audit/actor.js';
import { recordOwnerChange } from '../audit/record-audit.js';
import { type Database, type Queryable, queryWithin, type Transaction } from '../database/database.js';

type NotificationOperation = (deps: {
  readonly database: Pick<Database, 'query' | 'transaction'>;
  readonly clock: () => Date;
}) => Implementation;

/** Returns how often the caller gets emails. The console adds whether there is a mail server. */
const getSettings: NotificationOperation = ({ database }) =>
  implement(getNotificationSettingsOperation, async ({ companyId, caller, timeoutMs }) => {
    const within = queryWithin(database, { companyId, timeoutMs: timeoutMs() });
    return { json: JSON.stringify(await readSettings(within, callingOwner(caller))) };
  });

/** A viewer gets no emails. Fails with `not_found` for any other membership of the company. */
async function readSettings(
  database: Queryable,
  { companyId, membershipId }: MembershipOfCompany,
): Promise<NotificationSettings> {
  const [settings] = await database.query<NotificationSettings>(
    `select case m.role when 'OWNER' then coalesce(r.emails, 'immediately') else 'off' end as emails, m.email
     from memberships m left join notification_recipients r on r.membership_id = m.id
     where m.id = $1 and m.company_id = $2 and m.role in ('OWNER', 'VIEWER') and m.active`,
    [membershipId, companyId],
  );
  if (settings === undefined) throw notFound('owner');
  return settings;
}

/**
 * Sets how often the caller gets emails, and drops the queued ones if that is never.
 *
 * Fails with `not_found` for a membership that is not an owner's of the company. Atomic: the setting, the queued emails and
 * the entry in the audit trail. Lock: the recipient.
 */
const setSettings: NotificationOperation = ({ database }) =>
  implement(setNotificationSettingsOperation, async ({ companyId, caller, body: { emails }, timeoutMs }) => {
    const actor = callingOwner(caller);
    const { membershipId } = actor;
    const settings = await database.transaction(
      async (tx) => {
        const before = await readSettings(tx, actor);
        const changed = await tx.query(
          `insert into notification_recipients as r (membership_id, emails) values ($1, $2)
           on conflict (membership_id) do update set emails = excluded.emails where r.emails <> excluded.emails
           returning 1`,
          [membershipId, emails],
        );
        if (changed.length === 0 || before.emails === emails) return before;
        if (emails === 'off') {
          void tx.query('delete from notification_emails where membership_id = $1', [membershipId]);
        }
        await recordOwnerChange(tx, { companyId, membershipId, actor }, { notificationEmails: emails });
        return { ...before, emails };
      },
      { companyId, timeoutMs: timeoutMs() },
    );
    return { json: JSON.stringify(settings) };
  });

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

export function notificationOperations(
  deps: Parameters<NotificationOperation>[0],
): readonly Implementation[] {
  return [getSettings, setSettings, leaseEmails, reportEmail, leaseNotices, reportNotice].map((operation) =>
    operation(deps),
  );
}
