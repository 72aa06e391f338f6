import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type Event,
  EventSchema,
  type EventTrail,
  EventTrailSchema,
  EventVerdict,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { EVENT_VERDICTS } from '@partner/proto-contracts/public-api/event-trail';
import {
  type AttemptSummaryRow,
  attemptSummaryMessage,
  deliveryMessage,
  type DeliveryRow,
} from '../schedule/delivery-message.js';

/** What became of an event for one subscription. */
export type EventVerdictName = (typeof EVENT_VERDICTS)[number];

/** What is shown of an event, as {@link EVENT_COLUMNS} select it. */
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
}

/** Columns of an {@link EventRow}, from `events e`. */
export const EVENT_COLUMNS = `
  e.id, e.name, e.occurred_at as "occurredAt", e.created_at as "committedAt", e.resource_type as "resourceType",
  e.resource_id as "resourceId", e.resource_version as "resourceVersion", e.schema_version as "schemaVersion",
  e.request_id as "requestId"`;

/** What became of an event for one subscription, with its deliveries to it. */
export interface SubscriptionTrail {
  readonly subscriptionId: string;
  readonly verdict: EventVerdictName;
  /** Newest first. */
  readonly deliveries: readonly {
    readonly delivery: DeliveryRow;
    readonly attempts: readonly AttemptSummaryRow[];
  }[];
}

const VERDICTS = {
  queued: EventVerdict.QUEUED,
  paused: EventVerdict.PAUSED,
  not_subscribed: EventVerdict.NOT_SUBSCRIBED,
  schema_version: EventVerdict.SCHEMA_VERSION,
  class: EventVerdict.CLASS,
  created_later: EventVerdict.CREATED_LATER,
  deleted: EventVerdict.DELETED,
  no_longer_kept: EventVerdict.NO_LONGER_KEPT,
} as const satisfies Record<EventVerdictName, EventVerdict>;

/** An event as the console gets it. */
export function eventMessage(row: EventRow): Event {
  return create(EventSchema, {
    id: row.id,
    name: row.name,
    occurredAt: timestampFromDate(row.occurredAt),
    committedAt: timestampFromDate(row.committedAt),
    resourceType: row.resourceType,
    resourceId: row.resourceId,
    resourceVersion: row.resourceVersion,
    schemaVersion: row.schemaVersion,
    requestId: row.requestId ?? undefined,
  });
}

/** The trail of an event to one subscription as the console gets it. */
export function eventTrailMessage(trail: SubscriptionTrail): EventTrail {
  return create(EventTrailSchema, {
    subscriptionId: trail.subscriptionId,
    verdict: VERDICTS[trail.verdict],
    deliveries: trail.deliveries.map(({ delivery, attempts }) => ({
      delivery: deliveryMessage(delivery),
      attempts: attempts.map(attemptSummaryMessage),
    })),
  });
}
