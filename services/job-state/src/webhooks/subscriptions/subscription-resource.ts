import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import { column, computed, type RowOf, selectList } from '../../database/columns.js';
import { dueAt, isWaiting } from '../deliveries/delivery-columns.js';

/** Whether most recent attempts failed (DELIVERY-12): a single failure in quiet hours says little. */
const failsNow = (s: string) => `exists (
    select 1 from delivery_statistics recent
    where recent.subscription_id = ${s}.id and recent.starts_at > now() - make_interval(mins => ${WEBHOOK_LIMITS.healthMinutes})
    having sum(recent.failed) >= ${WEBHOOK_LIMITS.healthFailures} and sum(recent.failed) > sum(recent.delivered)
  )`;

/** When the next waiting delivery in a state is attempted; one probe of the index of the queue. */
function nextAttempt(s: string, state: 'pending' | 'retry_scheduled'): string {
  return `(
    select ${dueAt('d')} from deliveries d where d.subscription_id = ${s}.id and ${isWaiting('d', state)} order by ${dueAt('d')} limit 1
  )`;
}

/** The public columns of a subscription, in the order of the public fields, and two that its changes read. */
const SUBSCRIPTION = {
  id: column<string>('id', 'text'),
  url: column<string>('url', 'text'),
  description: column<string>('description', 'text'),
  events: column<string[]>('events', 'text[]'),
  schemaVersion: column<number>('schema_version', 'integer'),
  state: column<Subscription['state']>('state', 'text'),
  health: computed<Subscription['health']>(
    (s) => `case when ${s}.health = 'degraded' or ${failsNow(s)} then 'degraded' else 'healthy' end`,
  ),
  secretVersion: column<number>('secret_version', 'integer'),
  pendingSecretVersion: column<number | null>('pending_secret_version', 'integer'),
  secretShown: column<boolean>('secret_shown', 'boolean'),
  verified: computed<boolean>((s) => `${s}.verified_url_version is not distinct from ${s}.url_version`),
  headerNames: column<string[]>('header_names', 'text[]'),
  deliveriesPerSecond: column<number | null>('deliveries_per_second', 'integer'),
  fields: column<Readonly<Record<string, string[]>> | null>('fields', 'jsonb'),
  ordered: column<boolean>('ordered', 'boolean'),
  asymmetricSignature: column<boolean>('asymmetric_signature', 'boolean'),
  failuresInRow: column<number>('failures_in_row', 'integer'),
  nextAttemptAt: computed<Date | null>(
    (s) => `least(${nextAttempt(s, 'pending')}, ${nextAttempt(s, 'retry_scheduled')})`,
  ),
  createdAt: column<Date>('created_at', 'timestamptz'),
  updatedAt: column<Date>('updated_at', 'timestamptz'),
  /** Of the secret that signed the accepted test; null if it was recorded by an earlier version of the service. */
  verifiedSecretVersion: column<number | null>('verified_secret_version', 'integer'),
  pausedAt: column<Date | null>('paused_at', 'timestamptz'),
} as const;

export type SubscriptionRow = RowOf<typeof SUBSCRIPTION>;

/** Columns of a {@link SubscriptionRow}, from `subscriptions s`. */
export const SUBSCRIPTION_COLUMNS = selectList(SUBSCRIPTION, 's');

export function shownSubscription(row: SubscriptionRow): Subscription {
  const { verifiedSecretVersion: _version, pausedAt: _pausedAt, ...shown } = row;
  return {
    ...shown,
    nextAttemptAt: formatOptionalDateTime(row.nextAttemptAt),
    createdAt: formatDateTime(row.createdAt),
    updatedAt: formatDateTime(row.updatedAt),
  };
}
