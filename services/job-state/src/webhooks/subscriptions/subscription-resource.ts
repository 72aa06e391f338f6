import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { Subscription } from '@partner/proto-contracts/resources/subscription/subscription';

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
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Columns of a {@link SubscriptionRow}, from `subscriptions s`. */
export const SUBSCRIPTION_COLUMNS = `
  s.id, s.url, s.description, s.events, s.schema_version as "schemaVersion", s.state, s.health,
  s.secret_version as "secretVersion", s.pending_secret_version as "pendingSecretVersion",
  s.verified_url_version is not distinct from s.url_version as verified,
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
    verified: row.verified,
    createdAt: formatDateTime(row.createdAt),
    updatedAt: formatDateTime(row.updatedAt),
  };
}
