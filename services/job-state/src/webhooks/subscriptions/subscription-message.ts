import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Subscription,
  SubscriptionHealth,
  SubscriptionSchema,
  SubscriptionState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';

/** What is shown of a subscription, as {@link SUBSCRIPTION_COLUMNS} select it. */
export interface SubscriptionRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly events: readonly string[];
  readonly schemaVersion: number;
  readonly state: 'paused' | 'active';
  readonly health: 'healthy' | 'degraded';
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

const STATES = {
  paused: SubscriptionState.PAUSED,
  active: SubscriptionState.ACTIVE,
} as const satisfies Record<SubscriptionRow['state'], SubscriptionState>;

const HEALTHS = {
  healthy: SubscriptionHealth.HEALTHY,
  degraded: SubscriptionHealth.DEGRADED,
} as const satisfies Record<SubscriptionRow['health'], SubscriptionHealth>;

/** A subscription as the console gets it. */
export function subscriptionMessage(row: SubscriptionRow): Subscription {
  return create(SubscriptionSchema, {
    id: row.id,
    url: row.url,
    description: row.description,
    events: [...row.events],
    schemaVersion: row.schemaVersion,
    state: STATES[row.state],
    health: HEALTHS[row.health],
    secretVersion: row.secretVersion,
    ...(row.pendingSecretVersion !== null && { pendingSecretVersion: row.pendingSecretVersion }),
    verified: row.verified,
    createdAt: timestampFromDate(row.createdAt),
    updatedAt: timestampFromDate(row.updatedAt),
  });
}
