import { timestampDate } from '@bufbuild/protobuf/wkt';
import {
  type Subscription,
  SubscriptionHealth,
  SubscriptionState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import type { subscription } from '@partner/proto-contracts/public-api/webhook-subscription';
import { formatDateTime } from '@partner/proto-contracts/public-api/date-time';
import type { z } from 'zod';
import { requiredField } from './required-field.js';

type SubscriptionView = z.input<typeof subscription>;

const STATES: Readonly<Record<SubscriptionState, SubscriptionView['state'] | undefined>> = {
  [SubscriptionState.UNSPECIFIED]: undefined,
  [SubscriptionState.PAUSED]: 'paused',
  [SubscriptionState.ACTIVE]: 'active',
};

const HEALTHS: Readonly<Record<SubscriptionHealth, SubscriptionView['health'] | undefined>> = {
  [SubscriptionHealth.UNSPECIFIED]: undefined,
  [SubscriptionHealth.HEALTHY]: 'healthy',
  [SubscriptionHealth.DEGRADED]: 'degraded',
};

/** A subscription as its owner sees it. Throws when job-state left out what it always gives. */
export function presentSubscription(message: Subscription | undefined): SubscriptionView {
  const given = requiredField(message, 'a subscription');
  return {
    id: requiredField(given.id, 'subscription.id'),
    url: requiredField(given.url, 'subscription.url'),
    description: requiredField(given.description, 'subscription.description'),
    events: given.events,
    schemaVersion: requiredField(given.schemaVersion, 'subscription.schema_version'),
    state: requiredField(STATES[given.state ?? SubscriptionState.UNSPECIFIED], 'a known subscription.state'),
    health: requiredField(
      HEALTHS[given.health ?? SubscriptionHealth.UNSPECIFIED],
      'a known subscription.health',
    ),
    secretVersion: requiredField(given.secretVersion, 'subscription.secret_version'),
    pendingSecretVersion: given.pendingSecretVersion ?? null,
    verified: requiredField(given.verified, 'subscription.verified'),
    createdAt: formatDateTime(timestampDate(requiredField(given.createdAt, 'subscription.created_at'))),
    updatedAt: formatDateTime(timestampDate(requiredField(given.updatedAt, 'subscription.updated_at'))),
  };
}
