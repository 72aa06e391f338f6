import { newId } from '@partner/kernel/ids';
import { currentRequestId } from '@partner/kernel/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
  type EventData,
  eventGroup,
} from '@partner/proto-contracts/events/webhook-events';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Transaction } from '../../database/database.js';
import { deliveryIdSql } from '../schedule/delivery-id-sql.js';
import { renderEnvelope } from './render-envelope.js';

/** An event that the webhook subscriptions of a company may match. */
export interface EventToRecord<E extends EventName> {
  /** The company that receives the event. */
  readonly companyId: string;
  readonly event: E;
  /** When it happened; part of the envelope. */
  readonly occurredAt: Date;
  /** The resource, with the version that the change produced. */
  readonly resource: { readonly type: string; readonly id: string; readonly version: number };
  readonly data: EventData<E>;
  /** The time of the change. */
  readonly now: Date;
}

/** An event in the transaction of its change. */
export interface RecordedEvent {
  readonly eventId: string;
  /** The number of its deliveries, known once the transaction is committed. */
  readonly deliveries: () => number;
}

/** Why a subscription got no delivery of an event, as of the commit of the event. */
export const NOT_QUEUED_REASONS = ['class', 'not_subscribed', 'schema_version', 'paused'] as const;

/** Statement that records events and their deliveries: one per subscription, due at once, plus the given differences. */
const recordEventsStatement = (
  name: string,
  { faults, copies, dueAt }: { readonly faults: string; readonly copies: string; readonly dueAt: string },
): PreparedStatement => ({
  name,
  text: `with item as materialized (
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[],
         $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[], $13::text[], $14::timestamptz[], $15::text[])
       with ordinality as item (event_id, company_id, name, event_group, classes, schema_version, occurred_at,
         resource_type, resource_id, resource_version, body, trace_parent, request_id, created_at, first_delivery_id, call)
   ), ${faults}verdicts as materialized (
     select item.call, s.id,
       case
         when c.class <> all(string_to_array(item.classes, ' ')) then 'class'
         when not s.events && array[item.name, item.event_group] then 'not_subscribed'
         when s.schema_version <> item.schema_version then 'schema_version'
         when s.state = 'paused' then 'paused'
       end as reason
     from item
     join companies c on c.id = item.company_id
     join subscriptions s on s.company_id = item.company_id and s.deleted_at is null
   ), not_queued as (
     select call, jsonb_object_agg(id, reason) as reasons from verdicts where reason is not null group by call
   ), event as (
     insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, trace_parent,
        created_at, request_id, not_queued)
     select event_id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body,
       trace_parent, created_at, request_id, reasons
     from item left join not_queued using (call)
   ), delivery as (
     insert into deliveries
       (id, subscription_id, company_id, event_id, event, resource_type, resource_id, created_at, next_attempt_at)
     select ${deliveryIdSql('item.first_delivery_id', 'row_number() over (partition by item.call order by v.id)')},
       v.id, item.company_id, item.event_id, item.name, item.resource_type, item.resource_id, item.created_at, ${dueAt}
     from verdicts v join item using (call)${copies}
     where v.reason is null
     returning event_id, subscription_id
   )
   select item.call, delivery.subscription_id as "subscriptionId" from delivery join item using (event_id)`,
});

const RECORD_EVENTS = recordEventsStatement('record-events', { faults: '', copies: '', dueAt: 'now()' });

/** In the sandbox, the company's fault scripts decide about a second delivery and when the first one is due. */
const RECORD_EVENTS_WITH_FAULTS = recordEventsStatement('record-events-with-faults', {
  faults: `faults as (
     select item.call, coalesce(bool_or((k.faults -> 'webhooks' ->> 'duplicate')::boolean), false) as duplicate,
       coalesce(bool_or((k.faults -> 'webhooks' ->> 'reorder')::boolean), false) as reorder
     from item left join api_keys k on k.company_id = item.company_id and k.faults is not null and k.revoked_at is null
       and (k.expires_at is null or k.expires_at > item.created_at)
     group by item.call
   ), `,
  copies:
    ' join faults f using (call) cross join lateral generate_series(0, f.duplicate::integer) copy (number)',
  // Mirrored around the end of its 4 seconds, so the earliest event is due last.
  dueAt: `now() + make_interval(secs => copy.number +
       case when f.reorder then 2 * (4 - mod(extract(epoch from now()), 4))::double precision else 0 end)`,
});

/**
 * Records an event in the transaction of its change, with one delivery for each matching subscription.
 *
 * A subscription matches if it is active, names the event or its group, and opted in to the payload's schema version. The event
 * is kept without any subscriber too. For each other subscription of the company the event keeps the first of {@link
 * NOT_QUEUED_REASONS} that holds. A company whose class does not allow the event gets no delivery, whatever its subscriptions
 * name. A deleted subscription gets neither delivery nor reason.
 *
 * It is one statement and one snapshot: the event is ordered either before or after a concurrent pause or activation. Events of
 * one turn of the event loop share it. It takes no lock, and nothing waits for it but the commit. The deliveries are due at once; the commit wakes the scheduler. Throws if
 * the data does not fit the event's schema.
 */
export function recordEvent<E extends EventName>(tx: Transaction, event: EventToRecord<E>): RecordedEvent {
  const eventId = newId('evt');
  let deliveries = 0;
  const values = [
    eventId,
    event.companyId,
    event.event,
    `${eventGroup(event.event)}.*`,
    EVENT_CATALOGUE[event.event].classes.join(' '),
    CURRENT_SCHEMA_VERSION,
    event.occurredAt,
    event.resource.type,
    event.resource.id,
    event.resource.version,
    renderEnvelope({ ...event, eventId }),
    injectTrace()['traceparent'] ?? null,
    currentRequestId() ?? null,
    event.now,
    newId('dlv'),
  ];
  const statement = tx.environment === 'sandbox' ? RECORD_EVENTS_WITH_FAULTS : RECORD_EVENTS;
  tx.queryTogether<{ subscriptionId: string }>(statement, values).then(
    (rows) => {
      const subscriptionIds = rows.map(({ subscriptionId }) => subscriptionId);
      deliveries = rows.length;
      if (deliveries > 0) tx.wakeAfterCommit('deliveries', subscriptionIds);
      tx.announceAfterCommit(event.companyId, subscriptionIds);
    },
    () => undefined,
  );
  return { eventId, deliveries: () => deliveries };
}
