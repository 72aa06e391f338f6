import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Transaction } from '../database/database.js';
import { aboutWebhook, NOTICED_COLUMNS, type NoticedWebhook, notifyOwners } from './notify-owners.js';

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

/**
 * Announces up to `limit` API keys that are about to end, and returns their number.
 *
 * Locks: the keys, without waiting for any.
 */
export async function announceKeyEnds(tx: Transaction, now: Date, limit: number): Promise<number> {
  const ending = await tx.query<{
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
    [now, limit],
  );
  for (const { companyId, keyId, version, expiresAt, ...key } of ending) {
    const resource = { type: 'api_key', id: keyId, version } as const;
    const data = { keyId, ...key, expiresAt: formatDateTime(expiresAt) };
    notifyOwners(tx, { companyId, event: 'api_key.expiring', resource, data }, now);
  }
  return ending.length;
}

/**
 * Announces up to `limit` former signing secrets that are about to end, and returns their number. Each was set to end
 * `overlapHours` later by a rotation.
 *
 * Locks: the subscriptions, then the secrets, without waiting for any.
 */
export async function announceSecretEnds(
  tx: Transaction,
  now: Date,
  limit: number,
  overlapHours: number,
): Promise<number> {
  const ending = await tx.query<
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
    [now, limit, overlapHours],
  );
  for (const { secretVersion, activeSecretVersion, expiresAt, ...webhook } of ending) {
    const end = { secretVersion, activeSecretVersion, expiresAt: formatDateTime(expiresAt) };
    notifyOwners(tx, { event: 'webhook.secret_expiring', ...aboutWebhook(webhook, end) }, now);
  }
  return ending.length;
}

/**
 * Announces up to `limit` certificates of active webhooks that are about to expire, and returns their number.
 *
 * That is 14 and 3 days before, if that is in the last third of the certificate's validity: those of a short validity are
 * renewed later. Locks: the subscriptions, without waiting for any.
 */
export async function announceCertificateEnds(tx: Transaction, now: Date, limit: number): Promise<number> {
  const ending = await tx.query<NoticedWebhook & { readonly expiresAt: Date }>(
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
    [now, limit],
  );
  for (const { expiresAt, ...webhook } of ending) {
    const about = aboutWebhook(webhook, { expiresAt: formatDateTime(expiresAt) });
    notifyOwners(tx, { event: 'webhook.certificate_expiring', ...about }, now);
  }
  return ending.length;
}
