import { NOTIFICATIONS } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { QueryResultRow } from 'pg';
import type { Transaction } from '../database/database.js';
import { FAILING_AFTER } from '../webhooks/deliveries/claim-rule.js';
import { aboutWebhook, NOTICED_COLUMNS, type NoticedWebhook, notifyOwners } from './notify-owners.js';

/** Announces up to `limit` occasions of a kind, and returns their number. Locks their rows, without waiting for any. */
type Announce = (tx: Transaction, now: Date, limit: number, more?: unknown) => Promise<number>;

/** Occasions that a statement finds and marks as announced. Its parameters are now, the limit, and what else it needs. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the row that the statement returns
function occasions<Row extends QueryResultRow>(
  text: string,
  notify: (tx: Transaction, row: Row, now: Date) => void,
): Announce {
  return async (tx, now, limit, more) => {
    const found = await tx.query<Row>(text, [now, limit, ...(more === undefined ? [] : [more])]);
    for (const row of found) notify(tx, row, now);
    return found.length;
  };
}

/**
 * Webhooks whose endpoint has begun to fail.
 *
 * An endpoint that fails only tests or notifications is not announced: no notification follows from a notification.
 */
const failing = occasions<NoticedWebhook>(
  `with failing as (
       select s.id from subscriptions s
       where s.failures_in_row >= ${FAILING_AFTER} and s.failing_since is null and s.state = 'active' and s.deleted_at is null
         and (
           exists (
             select from deliveries d
             where d.subscription_id = s.id and d.state = 'retry_scheduled' and d.lease_id is null and not d.is_test
               and d.event <> all($3::text[])
           )
           or exists (select from unannounced_dead_letters u where u.subscription_id = s.id and u.count > 0)
         )
       limit $2
       for no key update of s skip locked
     )
     update subscriptions s set failing_since = $1, notification_version = s.notification_version + 1
     from failing where s.id = failing.id
     returning ${NOTICED_COLUMNS}`,
  (tx, webhook, now) =>
    notifyOwners(tx, { event: 'webhook.endpoint_failing', ...aboutWebhook(webhook, {}) }, now),
);

export const announceFailing: Announce = (tx, now, limit) => failing(tx, now, limit, NOTIFICATIONS);

/**
 * Webhooks whose endpoint has recovered.
 *
 * Not within 5 minutes after its failure was announced, which bounds the notifications about an endpoint that alternates.
 */
export const announceRecovered = occasions<NoticedWebhook & { readonly failingSince: Date }>(
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
  (tx, webhook, now) => {
    const about = aboutWebhook(webhook, { failingSince: formatDateTime(webhook.failingSince) });
    notifyOwners(tx, { event: 'webhook.endpoint_recovered', ...about }, now);
  },
);

/**
 * Dead letters of webhooks, one notification for each webhook.
 *
 * The next announcement of a webhook is due an hour later at the earliest. Locks: the subscriptions, then their counts.
 */
export const announceDeadLetters = occasions<
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
  (tx, { count, firstAt, lastAt, isDeleted, ...webhook }, now) => {
    if (isDeleted) return;
    const counted = { count, firstAt: formatDateTime(firstAt), lastAt: formatDateTime(lastAt) };
    notifyOwners(tx, { event: 'webhook.deliveries_dead_lettered', ...aboutWebhook(webhook, counted) }, now);
  },
);

/**
 * SQL for the latest time at or before $1 at which an end is announced; null before the first.
 *
 * These are 7 days and 1 day before it, unless the end was set later than that. An end that was set at most 1 day ahead is
 * announced once, half way.
 */
function announcementAt(endsAt: string, setAt: string): string {
  return `(
    select max(at) from unnest(
      case
        when ${endsAt} - interval '1 day' > ${setAt}
          then array[${endsAt} - interval '7 days', ${endsAt} - interval '1 day']
        else array[${setAt} + (${endsAt} - ${setAt}) / 2]
      end
    ) as announcement (at)
    where at > ${setAt} and at <= $1
  )`;
}

export const announceKeyEnds = occasions<{
  readonly keyId: string;
  readonly companyId: string;
  readonly lastFour: string;
  readonly replacedBy: string | null;
  readonly expiresAt: Date;
  readonly version: number;
}>(
  `with ending as (
       select k.id from api_keys k left join api_keys successor on successor.id = k.replaced_by
       where k.revoked_at is null and k.expires_at > $1 and k.expires_at <= $1::timestamptz + interval '7 days'
         and ${announcementAt('k.expires_at', 'coalesce(successor.created_at, k.created_at)')}
           > coalesce(k.end_announced_at, '-infinity')
       order by k.expires_at
       limit $2
       for no key update of k skip locked
     )
     update api_keys k set end_announced_at = $1, notification_version = k.notification_version + 1
     from ending where k.id = ending.id
     returning k.id as "keyId", k.company_id as "companyId", k.last_four as "lastFour", k.replaced_by as "replacedBy",
       k.expires_at as "expiresAt", k.notification_version as version`,
  (tx, { companyId, keyId, version, expiresAt, ...key }, now) => {
    const resource = { type: 'api_key', id: keyId, version } as const;
    const data = { keyId, ...key, expiresAt: formatDateTime(expiresAt) };
    notifyOwners(tx, { companyId, event: 'api_key.expiring', resource, data }, now);
  },
);

/**
 * Former signing secrets that are about to end. Each was set to end a number of hours ($3) later by a rotation.
 *
 * Locks: the subscriptions, then the secrets.
 */
export const announceSecretEnds = occasions<
  NoticedWebhook & {
    readonly secretVersion: number;
    readonly activeSecretVersion: number;
    readonly expiresAt: Date;
  }
>(
  `with ending as materialized (
       select secret.subscription_id, secret.version, secret.expires_at
       from subscription_secrets secret join subscriptions s on s.id = secret.subscription_id
       where s.deleted_at is null and secret.version > 0
         and secret.expires_at > $1 and secret.expires_at <= $1::timestamptz + interval '7 days'
         and ${announcementAt('secret.expires_at', '(secret.expires_at - make_interval(hours => $3))')}
           > coalesce(secret.end_announced_at, '-infinity')
       order by secret.expires_at
       limit $2
       for no key update of s, secret skip locked
     ), announced as (
       update subscription_secrets secret set end_announced_at = $1
       from ending where secret.subscription_id = ending.subscription_id and secret.version = ending.version
     ), s as (
       update subscriptions s set notification_version = s.notification_version + 1
       where s.id in (select subscription_id from ending)
       returning s.*
     )
     select ${NOTICED_COLUMNS}, ending.version as "secretVersion", s.secret_version as "activeSecretVersion",
       ending.expires_at as "expiresAt"
     from ending join s on s.id = ending.subscription_id`,
  (tx, { secretVersion, activeSecretVersion, expiresAt, ...webhook }, now) => {
    const end = { secretVersion, activeSecretVersion, expiresAt: formatDateTime(expiresAt) };
    notifyOwners(tx, { event: 'webhook.secret_expiring', ...aboutWebhook(webhook, end) }, now);
  },
);

/**
 * Certificates of active webhooks that are about to expire.
 *
 * That is 14 and 3 days before, if that is in the last third of the certificate's validity: those of a short validity are
 * renewed later.
 */
export const announceCertificateEnds = occasions<NoticedWebhook & { readonly expiresAt: Date }>(
  `with ending as (
       select s.id from subscriptions s
       where s.certificate_valid_to > $1 and s.certificate_valid_to <= $1::timestamptz + interval '14 days'
         and s.deleted_at is null and s.state = 'active'
         and (
           select max(s.certificate_valid_to - before) from unnest(array[interval '14 days', interval '3 days']) as one (before)
           where s.certificate_valid_to - before <= $1
             and coalesce(s.certificate_valid_to - s.certificate_valid_from > 3 * before, true)
         ) > coalesce(s.certificate_announced_at, '-infinity')
       order by s.certificate_valid_to
       limit $2
       for no key update of s skip locked
     )
     update subscriptions s set certificate_announced_at = $1, notification_version = s.notification_version + 1
     from ending where s.id = ending.id
     returning ${NOTICED_COLUMNS}, s.certificate_valid_to as "expiresAt"`,
  (tx, { expiresAt, ...webhook }, now) => {
    const about = aboutWebhook(webhook, { expiresAt: formatDateTime(expiresAt) });
    notifyOwners(tx, { event: 'webhook.certificate_expiring', ...about }, now);
  },
);
