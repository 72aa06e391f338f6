import { canSignIn } from '../access/membership.js';
import type { Transaction } from '../database/database.js';

const QUEUE_EMAILS = {
  name: 'queue-notification-emails',
  text: `
  with owner as materialized (
    select m.id, notified.event_id
    from unnest($1::text[], $2::text[]) as notified (company_id, event_id)
    join memberships m on m.company_id = notified.company_id
    where m.role = 'OWNER' and m.active and m.email is not null and ${canSignIn('m')}
  ), recipient as (
    insert into notification_recipients (membership_id) select distinct id from owner order by id
    on conflict (membership_id) do nothing
  )
  insert into notification_emails (membership_id, event_id)
  select owner.id, owner.event_id from owner left join notification_recipients r on r.membership_id = owner.id
  where r.emails is distinct from 'off'
  order by owner.id, owner.event_id`,
};

/** Queues a notification for the emails of all owners of the company who can sign in and want emails. */
export function queueEmails(tx: Pick<Transaction, 'queryLast'>, companyId: string, eventId: string): void {
  void tx.queryLast(QUEUE_EMAILS, [companyId, eventId]);
}
