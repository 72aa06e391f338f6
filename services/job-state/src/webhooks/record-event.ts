import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import { currentRequestId } from '@partner/runtime/request-context';
import { injectTrace } from '@partner/runtime/telemetry/tracing';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/public-api/versions';
import {
  EVENT_CATALOGUE,
  type EmittedEventName,
  type EventData,
  eventGroup,
} from '@partner/proto-contracts/public-api/webhook-events';
import type { Transaction } from '../database/database.js';
import { MAX_SUBSCRIPTIONS_PER_COMPANY } from './create-subscription.js';
import { newDeliveryIds } from './delivery-ids.js';
import { renderEnvelope } from './render-envelope.js';

/** Something that happened and that a company may have subscribed to. */
export interface EventToRecord<E extends EmittedEventName> {
  /** The company that is told. */
  readonly companyId: string;
  readonly event: E;
  /** When it happened; goes into the envelope. */
  readonly occurredAt: Date;
  /** What it is about; the version is the one that the change made. */
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly data: EventData<E>;
  /** The time of the change. */
  readonly now: Date;
}

/**
 * Records an event in the transaction of the change that it tells of, with one delivery for each subscription of the
 * company that is active, names the event or its group, and opted in to the payload's schema version. The event is kept
 * also when nobody subscribes, so that the trail can explain why nothing was sent. A company whose class may not have the
 * event gets no delivery, whatever its subscriptions say.
 *
 * One statement, so one snapshot: towards a pause or an activation that runs at the same time the event comes either
 * before or after. It takes no lock but the foreign keys' own. The deliveries are due at once; what releases them has to be
 * woken after the commit. Throws when the data does not fit the event's schema.
 */
export async function recordEvent<E extends EmittedEventName>(
  tx: Transaction,
  event: EventToRecord<E>,
): Promise<{ eventId: string; deliveries: number }> {
  const eventId = newId('evt');
  const [row] = await tx.query<{ deliveries: number }>(
    `with event as (
       insert into events
         (id, company_id, name, occurred_at, resource_type, resource_id, resource_version, body, trace_parent, created_at,
          request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $15)
       returning id, company_id, created_at
     ), queued as (
       insert into deliveries (id, subscription_id, company_id, event_id, created_at)
       select ($11::text[])[row_number() over (order by s.id)], s.id, event.company_id, event.id, event.created_at
       from event
       join subscriptions s on s.company_id = event.company_id
       join companies c on c.id = event.company_id
       where s.state = 'active' and s.events && $12::text[] and s.schema_version = $13 and c.class = any($14::text[])
       returning id
     )
     select count(*)::integer as deliveries from queued`,
    [
      eventId,
      event.companyId,
      event.event,
      event.occurredAt,
      event.resource.type,
      event.resource.id,
      event.resource.version,
      renderEnvelope({ ...event, eventId }),
      injectTrace()['traceparent'] ?? null,
      event.now,
      newDeliveryIds(MAX_SUBSCRIPTIONS_PER_COMPANY),
      [event.event, `${eventGroup(event.event)}.*`],
      CURRENT_SCHEMA_VERSION,
      EVENT_CATALOGUE[event.event].classes,
      currentRequestId() ?? null,
    ],
  );
  invariant(row, 'a count has a row');
  return { eventId, deliveries: row.deliveries };
}
