import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';
import { dueAt, isWaiting } from '../deliveries/delivery-columns.js';

/** The public fields of a subscription, as {@link SUBSCRIPTION_COLUMNS} selects them. */
export interface SubscriptionRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly schemaVersion: number;
  readonly state: Subscription['state'];
  readonly health: Subscription['health'];
  readonly secretVersion: number;
  readonly pendingSecretVersion: number | null;
  readonly verified: boolean;
  /** Of the secret that signed the accepted test; null if it was recorded by an earlier version of the service. */
  readonly verifiedSecretVersion: number | null;
  readonly secretShown: boolean;
  readonly headerNames: readonly string[];
  readonly deliveriesPerSecond: number | null;
  readonly failuresInRow: number;
  readonly nextAttemptAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Whether most recent attempts failed (DELIVERY-12): a single failure in quiet hours says little. */
const FAILS_NOW = `exists (
    select 1 from delivery_statistics recent
    where recent.subscription_id = s.id and recent.starts_at > now() - make_interval(mins => ${WEBHOOK_LIMITS.healthMinutes})
    having sum(recent.failed) >= ${WEBHOOK_LIMITS.healthFailures} and sum(recent.failed) > sum(recent.delivered)
  )`;

/** When the next waiting delivery in a state is attempted; one probe of the index of the queue. */
function nextAttempt(state: 'pending' | 'retry_scheduled'): string {
  return `(
    select ${dueAt('d')} from deliveries d where d.subscription_id = s.id and ${isWaiting('d', state)} order by ${dueAt('d')} limit 1
  )`;
}

/** Columns of a {@link SubscriptionRow}, from `subscriptions s`. */
export const SUBSCRIPTION_COLUMNS = `
  s.id, s.url, s.description, s.events, s.schema_version as "schemaVersion", s.state,
  case when s.health = 'degraded' or ${FAILS_NOW} then 'degraded' else 'healthy' end as health,
  s.secret_version as "secretVersion", s.pending_secret_version as "pendingSecretVersion",
  s.verified_url_version is not distinct from s.url_version as verified,
  s.verified_secret_version as "verifiedSecretVersion", s.secret_shown as "secretShown",
  s.header_names as "headerNames", s.deliveries_per_second as "deliveriesPerSecond",
  s.failures_in_row as "failuresInRow", least(${nextAttempt('pending')}, ${nextAttempt('retry_scheduled')}) as "nextAttemptAt",
  s.created_at as "createdAt", s.updated_at as "updatedAt"`;

/** A subscription as the public API shows it. */
export function shownSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    events: [...row.events],
    schemaVersion: row.schemaVersion,
    state: row.state,
    health: row.health,
    secretVersion: row.secretVersion,
    pendingSecretVersion: row.pendingSecretVersion,
    secretShown: row.secretShown,
    verified: row.verified,
    headerNames: [...row.headerNames],
    deliveriesPerSecond: row.deliveriesPerSecond,
    failuresInRow: row.failuresInRow,
    nextAttemptAt: formatOptionalDateTime(row.nextAttemptAt),
    createdAt: formatDateTime(row.createdAt),
    updatedAt: formatDateTime(row.updatedAt),
  };
}
