import type { NotificationSettings } from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { notFound } from '@partner/kernel/process/service-error';
import type { MembershipOfCompany } from '../access/membership.js';
import type { Actor } from '../audit/actor.js';
import { recordAudit } from '../audit/record-audit.js';
import type { Database, Queryable, TransactionLimits } from '../database/database.js';

/**
 * Returns how often an owner gets emails; a viewer gets none. Fails with `not_found` for any other membership of the company.
 */
export async function getNotificationSettings(
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
 * Sets how often the acting owner gets emails, and drops the queued ones if that is never.
 *
 * Fails with `not_found` for a membership that is not an owner's of the company. Atomic: the setting, the queued emails and
 * the entry in the audit trail. Lock: the recipient.
 */
export async function setNotificationSettings(
  database: Pick<Database, 'transaction'>,
  request: MembershipOfCompany & {
    readonly actor: Actor;
    readonly emails: NotificationSettings['emails'];
  },
  limits: TransactionLimits = {},
): Promise<NotificationSettings> {
  const { companyId, membershipId, actor, emails } = request;
  return database.transaction(async (tx) => {
    const before = await getNotificationSettings(tx, request);
    const changed = await tx.query(
      `insert into notification_recipients as r (membership_id, emails) values ($1, $2)
       on conflict (membership_id) do update set emails = excluded.emails where r.emails <> excluded.emails
       returning 1`,
      [membershipId, emails],
    );
    if (changed.length === 0 || before.emails === emails) return before;
    if (emails === 'off')
      void tx.query('delete from notification_emails where membership_id = $1', [membershipId]);
    await recordAudit(tx, {
      companyId,
      actor,
      action: 'owner.updated',
      subject: { type: 'owner', id: membershipId },
      details: { notificationEmails: emails },
    });
    return { ...before, emails };
  }, limits);
}
