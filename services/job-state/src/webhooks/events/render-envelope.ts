import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { CURRENT_API_VERSION, CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import {
  changesOf,
  type EventData,
  webhookEnvelope,
} from '@partner/proto-contracts/resources/event-catalogue/webhook-events';

export interface EnvelopeContent<E extends EventName> {
  readonly eventId: string;
  readonly event: E;
  readonly occurredAt: Date;
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  /** Public fields of the resource that differ from the version before; absent: all that the event names, if any. */
  readonly changed?: readonly string[];
  readonly data: EventData<E>;
}

/** Returns what an event says about changes; undefined if it says nothing. */
export function changedBy({
  event,
  changed,
}: Pick<EnvelopeContent<EventName>, 'event' | 'changed'>): readonly string[] | undefined {
  const { fields } = changesOf(event);
  return fields === undefined ? undefined : (changed ?? fields);
}

/**
 * Renders the body that every attempt of an event sends, as the exact bytes that are signed (spec: Webhook envelope).
 *
 * It is rendered once and stored. `data` has the fields of the event's schema, in the schema's order. Additional or missing
 * fields throw.
 */
export function renderEnvelope<E extends EventName>(content: EnvelopeContent<E>): Buffer {
  const { type, id, version } = content.resource;
  const changed = changedBy(content);
  const envelope = webhookEnvelope.parse({
    id: content.eventId,
    event: content.event,
    apiVersion: CURRENT_API_VERSION,
    schemaVersion: CURRENT_SCHEMA_VERSION,
    occurredAt: formatDateTime(content.occurredAt),
    resource: { type, id, version },
    ...(changed !== undefined && { changed }),
    data: EVENT_CATALOGUE[content.event].data.parse(content.data),
  });
  return Buffer.from(JSON.stringify(envelope), 'utf8');
}
