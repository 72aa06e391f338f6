import {
  getNotificationSettingsOperation,
  setNotificationSettingsOperation,
} from '@partner/proto-contracts/resources/notification-settings/operations';
import type { NotificationSettings } from '@partner/proto-contracts/resources/notification-settings/notification-settings';
import { implement } from '@partner/kernel/amqp/implement';
import { notFound } from '@partner/kernel/process/service-error';
import type { MembershipOfCompany } from '../access/membership.js';
import { callingOwner } from '../audit/actor.js';
import { recordOwnerChange } from '../audit/record-audit.js';
import { type Queryable, queryWithin } from '../database/database.js';
import type { NotificationOperation } from './notification-deps.js';

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

/** The operations with which owners choose their emails. */
export const NOTIFICATION_SETTINGS_OPERATIONS = [getSettings, setSettings];
