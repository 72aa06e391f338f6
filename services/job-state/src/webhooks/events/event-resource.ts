import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type { EVENT_VERDICTS, WebhookEvent } from '@partner/proto-contracts/resources/event/event';
import { column, computed, type RowOf, selectList } from '../../database/columns.js';
import { summarizeEvent } from './summarize-event.js';

export type EventVerdictName = (typeof EVENT_VERDICTS)[number];

const EVENT = {
  id: column<string>('id', 'text'),
  name: column<string>('name', 'text'),
  occurredAt: column<Date>('occurred_at', 'timestamptz'),
  committedAt: column<Date>('created_at', 'timestamptz'),
  resourceType: column<string>('resource_type', 'text'),
  resourceId: column<string>('resource_id', 'text'),
  resourceVersion: column<number>('resource_version', 'integer'),
  schemaVersion: column<number>('schema_version', 'integer'),
  requestId: column<string | null>('request_id', 'text'),
  /** The only subscription that a test concerns; null for an event that occurred. */
  testSubscriptionId: computed<string | null>(
    (e) =>
      `coalesce(${e}.test_subscription_id, case ${e}.name when 'install.test' then ${e}.resource_id end)`,
  ),
  body: column<Buffer>('body', 'bytea'),
} as const;

export type EventRow = RowOf<typeof EVENT>;

/** Columns of an {@link EventRow}, from `events e`. */
export const EVENT_COLUMNS = selectList(EVENT, 'e');

export const EXPLANATIONS: Readonly<Record<EventVerdictName, string>> = {
  queued: 'A delivery to this subscription was queued.',
  paused: 'The subscription was paused; a paused subscription queues no deliveries.',
  not_subscribed:
    'The subscription named neither this event nor its group, or the event is about the subscription itself.',
  schema_version: 'The subscription had opted in to a different schema version than that of the event.',
  fields: 'None of the fields that the subscription names for this event changed.',
  class: 'Companies of this class cannot receive this event.',
  created_later: 'The subscription was created after the event.',
  deleted: 'The subscription had been deleted.',
  no_longer_kept: 'The outcome of the event for this subscription is no longer kept.',
};

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
