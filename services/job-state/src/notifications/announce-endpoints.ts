import { NOTIFICATIONS } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Transaction } from '../database/database.js';
import { FAILING_AFTER } from '../webhooks/deliveries/claim-rule.js';
import { aboutWebhook, NOTICED_COLUMNS, type NoticedWebhook, notifyOwners } from './notify-owners.js';

/**
 * Announces up to `limit` webhooks whose endpoint has begun to fail, and returns their number.
 *
 * An endpoint that fails only tests or notifications is not announced: no notification follows from a notification. Locks:
 * the subscriptions, without waiting for any.
 */
export async function announceFailing(tx: Transaction, now: Date, limit: number): Promise<number> {
  const failing = await tx.query<NoticedWebhook>(
    `with failing as (
       select s.id from subscriptions s
       where s.failures_in_row >= ${FAILING_AFTER} and s.failing_since is null and s.state = 'active' and s.deleted_at is null
         and (
           exists (
             select from deliveries d
             where d.subscription_id = s.id and d.state = 'retry_scheduled' and d.lease_id is null and not d.is_test
               and d.event <> all($2::text[])
           )
           or exists (select from unannounced_dead_letters u where u.subscription_id = s.id and u.count > 0)
         )
       limit $3
       for no key update of s skip locked
     )
     update subscriptions s set failing_since = $1, notification_version = s.notification_version + 1
     from failing where s.id = failing.id
     returning ${NOTICED_COLUMNS}`,
    [now, NOTIFICATIONS, limit],
  );
  for (const webhook of failing) {
    notifyOwners(tx, { event: 'webhook.endpoint_failing', ...aboutWebhook(webhook, {}) }, now);
  }
  return failing.length;
}

/**
 * Announces up to `limit` webhooks whose endpoint has recovered, and returns their number.
 *
 * Not within 5 minutes after its failure was announced, which bounds the notifications about an endpoint that alternates.
 * Locks: the subscriptions, without waiting for any.
 */
export async function announceRecovered(tx: Transaction, now: Date, limit: number): Promise<number> {
  const recovered = await tx.query<NoticedWebhook & { readonly failingSince: Date }>(
    `with recovered as (
       select s.id, s.failing_since from subscriptions s
       where s.failing_since <= $1::timestamptz - interval '5 minutes' and s.failures_in_row < ${FAILING_AFTER}
         and s.deleted_at is null
       limit $2
       for no key update of s skip locked
     )
     update subscriptions s set failing_since = null, notification_version = s.notification_version + 1
     from recovered where s.id = recovered.id
     returning ${NOTICED_COLUMNS}, recovered.failing_since as "failingSince"`,
    [now, limit],
  );
  for (const webhook of recovered) {
    const about = aboutWebhook(webhook, { failingSince: formatDateTime(webhook.failingSince) });
    notifyOwners(tx, { event: 'webhook.endpoint_recovered', ...about }, now);
  }
  return recovered.length;
}

/**
 * Announces the dead letters of up to `limit` webhooks that are due, one notification for each webhook, and returns the
 * number of webhooks.
 *
 * The next announcement of a webhook is due an hour later at the earliest. Locks: the subscriptions, then their counts,
 * without waiting for any.
 */
export async function announceDeadLetters(tx: Transaction, now: Date, limit: number): Promise<number> {
  const due = await tx.query<
    NoticedWebhook & {
      readonly count: number;
      readonly firstAt: Date;
      readonly lastAt: Date;
      readonly isDeleted: boolean;
    }
  >(
    `with due as materialized (
       select s.id, u.count, u.first_at, u.last_at
       from unannounced_dead_letters u join subscriptions s on s.id = u.subscription_id
       where u.count > 0 and u.due_at <= $1
       order by u.due_at
       limit $2
       for no key update of s, u skip locked
     ), announced as (
       update unannounced_dead_letters u set count = 0, due_at = $1::timestamptz + interval '1 hour'
       from due where u.subscription_id = due.id
     )
     update subscriptions s set notification_version = s.notification_version + 1
     from due where s.id = due.id
     returning ${NOTICED_COLUMNS}, due.count, due.first_at as "firstAt", due.last_at as "lastAt",
       s.deleted_at is not null as "isDeleted"`,
    [now, limit],
  );
  for (const { count, firstAt, lastAt, isDeleted, ...webhook } of due) {
    if (isDeleted) continue;
    const counted = { count, firstAt: formatDateTime(firstAt), lastAt: formatDateTime(lastAt) };
    const about = aboutWebhook(webhook, counted);
    notifyOwners(tx, { event: 'webhook.deliveries_dead_lettered', ...about }, now);
  }
  return due.length;
}
