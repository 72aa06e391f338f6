import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  EVENT_VERDICTS,
  EventTrail,
  WebhookEvent,
} from '@partner/proto-contracts/resources/event/event';
import type { AttemptSummaryRow } from '../deliveries/attempt-columns.js';
import type { DeliveryRow } from '../deliveries/delivery-columns.js';
import { shownAttemptSummary, shownDelivery } from '../deliveries/delivery-resource.js';
import { summarizeEvent } from './summarize-event.js';

/** Outcome of an event for one subscription. */
export type EventVerdictName = (typeof EVENT_VERDICTS)[number];

/** The public fields of an event, as {@link EVENT_COLUMNS} selects them. */
export interface EventRow {
  readonly id: string;
  readonly name: string;
  readonly occurredAt: Date;
  readonly committedAt: Date;
  readonly resourceType: string;
  readonly resourceId: string;
  readonly resourceVersion: number;
  readonly schemaVersion: number;
  readonly requestId: string | null;
  /** The only subscription that a test concerns; null for an event that occurred. */
  readonly testSubscriptionId: string | null;
  readonly body: Buffer;
}

/** Columns of an {@link EventRow}, from `events e`. */
export const EVENT_COLUMNS = `
  e.id, e.name, e.occurred_at as "occurredAt", e.created_at as "committedAt", e.resource_type as "resourceType",
  e.resource_id as "resourceId", e.resource_version as "resourceVersion", e.schema_version as "schemaVersion",
  e.request_id as "requestId", e.body,
  coalesce(e.test_subscription_id, case e.name when 'install.test' then e.resource_id end) as "testSubscriptionId"`;

/** Outcome of an event for one subscription, with its deliveries. */
export interface SubscriptionTrail {
  readonly subscriptionId: string;
  readonly verdict: EventVerdictName;
  /** Newest first. */
  readonly deliveries: readonly {
    readonly delivery: DeliveryRow;
    readonly attempts: readonly AttemptSummaryRow[];
  }[];
}

const EXPLANATIONS: Readonly<Record<EventVerdictName, string>> = {
  queued: 'A delivery to this subscription was queued.',
  paused: 'The subscription was paused; a paused subscription queues no deliveries.',
  not_subscribed:
    'The subscription named neither this event nor its group, or the event is about the subscription itself.',
  schema_version: 'The subscription had opted in to another schema version than that of the event.',
  class: 'A company of this class may not have the event.',
  created_later: 'The subscription was created after the event.',
  deleted: 'The subscription had been deleted.',
  no_longer_kept: 'The outcome of the event for this subscription is no longer kept.',
};

/** An event as the public API shows it. */
export function shownEvent(row: EventRow): WebhookEvent {
  return {
    id: row.id,
    event: row.name,
    occurredAt: formatDateTime(row.occurredAt),
    committedAt: formatDateTime(row.committedAt),
    resource: { type: row.resourceType, id: row.resourceId, version: row.resourceVersion },
    summary: summarizeEvent(row.name, row.body),
    schemaVersion: row.schemaVersion,
    requestId: row.requestId,
    isTest: row.testSubscriptionId !== null,
  };
}

/** The trail of an event to one subscription as the public API shows it: a verdict, as a code and a sentence. */
export function shownEventTrail({ subscriptionId, verdict, deliveries }: SubscriptionTrail): EventTrail {
  return {
    subscriptionId,
    verdict,
    explanation: EXPLANATIONS[verdict],
    deliveries: deliveries.map(({ delivery, attempts }) => ({
      delivery: shownDelivery(delivery),
      attempts: attempts.map(shownAttemptSummary),
    })),
  };
}
