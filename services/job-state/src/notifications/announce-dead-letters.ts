import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Transaction } from '../database/database.js';
import { aboutWebhook, NOTICED_COLUMNS, type NoticedWebhook } from './noticed-webhook.js';
import { notifyOwners } from './notify-owners.js';

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
    const { data, ...about } = aboutWebhook(webhook);
    notifyOwners(
      tx,
      {
        event: 'webhook.deliveries_dead_lettered',
        ...about,
        data: { ...data, count, firstAt: formatDateTime(firstAt), lastAt: formatDateTime(lastAt) },
      },
      now,
    );
  }
  return due.length;
}
