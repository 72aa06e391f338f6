import type { NotificationName } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import type { EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { canSignIn } from '../access/colleagues/membership.js';
import type { PreparedStatement } from '../database/connection-pool.js';
import type { Transaction } from '../database/database.js';
import { recordEvent } from '../webhooks/events/record-event.js';

interface Notification<E extends NotificationName> {
  readonly companyId: string;
  readonly event: E;
  /** The webhook or API key that it is about; its version counts the notifications about it. */
  readonly resource: {
    readonly type: 'webhook_subscription' | 'api_key';
    readonly id: string;
    readonly version: number;
  };
  readonly data: EventData<E>;
}

export interface NoticedWebhook {
  readonly subscriptionId: string;
  readonly companyId: string;
  readonly description: string;
  readonly url: string;
  readonly version: number;
}

/** Columns of a {@link NoticedWebhook}, from `subscriptions s` whose `notification_version` was raised. */
export const NOTICED_COLUMNS = `s.id as "subscriptionId", s.company_id as "companyId", s.description, s.url,
  s.notification_version as version`;

export function aboutWebhook<More extends object>(webhook: NoticedWebhook, more: More) {
  const { subscriptionId, companyId, description, url, version } = webhook;
  return {
    companyId,
    resource: { type: 'webhook_subscription', id: subscriptionId, version },
    data: { subscriptionId, description, host: new URL(url).host, ...more },
  } as const;
}

const QUEUE_EMAILS: PreparedStatement = {
  name: 'queue-notification-emails',
  shared: 'last',
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

/**
 * Records a notification as an event of the company, and queues it for emails to all of its owners who can sign in and want emails, in
 * the transaction that marks its occasion as announced.
 */
export function notifyOwners<E extends NotificationName>(
  tx: Transaction,
  notification: Notification<E>,
  now: Date,
): void {
  const { eventId } = recordEvent(tx, { ...notification, occurredAt: now, now });
  void tx.query(QUEUE_EMAILS, [notification.companyId, eventId]);
}
