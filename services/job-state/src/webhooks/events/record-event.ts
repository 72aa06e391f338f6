import { newId } from '@partner/kernel/ids';
import { currentRequestId } from '@partner/kernel/request-context';
import { injectTrace } from '@partner/kernel/telemetry/tracing';
import { CURRENT_SCHEMA_VERSION } from '@partner/proto-contracts/api/versions';
import {
  EVENT_CATALOGUE,
  type EventName,
  eventGroup,
} from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { type EventData } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import type { LeasedDelivery } from '../../database/after-commit.js';
import type { PreparedStatement } from '../../database/connection-pool.js';
import type { Transaction } from '../../database/database.js';
import { FAILING_AFTER, SEALED_HEADERS } from '../schedule/claim-due.js';
import { deliveryIdSql } from '../schedule/delivery-id-sql.js';
import { ADDED_COUNTS } from './delivery-numbers.js';
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

/** A delivery that waits for the scheduler. */
interface QueuedDelivery {
  readonly subscriptionId: string;
  readonly leaseId: null;
}

/** A delivery that was leased with its event, without the fields that this process has already. */
type LeasedNow = Omit<
  LeasedDelivery,
  'attempt' | 'eventId' | 'event' | 'isTest' | 'body' | 'traceParent' | 'requestId'
>;

/** Why a subscription got no delivery of an event, as of the commit of the event. */
export const NOT_QUEUED_REASONS = ['class', 'not_subscribed', 'schema_version', 'paused'] as const;

/** The events of a statement, one for each call, numbered within their company. */
const ITEMS = `select *, row_number() over of_company as number, count(*) over (partition by company_id) as numbers
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[],
         $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[], $13::text[], $14::timestamptz[], $15::text[],
         $16::integer[], $17::integer[], $18::integer[], $19::integer[], $20::integer[])
       with ordinality as item (event_id, company_id, name, event_group, classes, schema_version, occurred_at,
         resource_type, resource_id, resource_version, body, trace_parent, request_id, created_at, first_delivery_id,
         lease_seconds, slots, shared_slots, subscription_cap, company_cap, call)
     window of_company as (partition by company_id order by call)`;

/** The deliveries of a statement, with what a leased one needs. */
const RECORDED_DELIVERIES = `select item.call, delivery.subscription_id as "subscriptionId", delivery.id, delivery.number, delivery.lease_id as "leaseId",
     statement_timestamp() as "leasedAt", delivery.next_attempt_at as "leaseExpiresAt", s.failures_in_row > 0 as "lastAttemptFailed", s.url,
     s.url_version as "urlVersion", secret.version as "secretVersion", secret.sealed as "sealedSecret",
     ${SEALED_HEADERS} as "sealedHeaders"
   from delivery join item using (event_id)
   left join (subscriptions s join subscription_secrets secret
     on secret.subscription_id = s.id and secret.version = s.secret_version)
     on s.id = delivery.subscription_id and delivery.lease_id is not null`;

/** Statement that records events and their deliveries: one per subscription, due at once, plus the given differences. */
const recordEventsStatement = (
  name: string,
  { faults, copies, dueAt }: { readonly faults: string; readonly copies: string; readonly dueAt: string },
): PreparedStatement => ({
  name,
  text: `with item as materialized (
     ${ITEMS}
   ), ${faults}verdicts as materialized (
     select item.call, s.id, item.company_id, s.failures_in_row >= ${FAILING_AFTER} as is_failing,
       s.deliveries_per_second is not null as has_rate,
       case
         when c.class <> all(string_to_array(item.classes, ' ')) then 'class'
         when not s.events && array[item.name, item.event_group] or s.id = item.resource_id then 'not_subscribed'
         when s.schema_version <> item.schema_version then 'schema_version'
         when s.state = 'paused' then 'paused'
       end as reason
     from item
     join companies c on c.id = item.company_id
     join subscriptions s on s.company_id = item.company_id and s.deleted_at is null
   ), matched as materialized (
     select *, row_number() over (partition by id order by call) as nth, count(*) over (partition by id) as matches
     from verdicts where reason is null
   ), head as (
     insert into event_heads as head (company_id, last, delivery_counts)
     select item.company_id, count(*), (
       select coalesce(jsonb_object_agg(m.id, m.matches), '{}') from matched m where m.company_id = item.company_id and m.nth = 1
     )
     from item group by item.company_id order by item.company_id
     on conflict (company_id) do update set last = head.last + excluded.last, delivery_counts = ${ADDED_COUNTS}
     returning company_id, last, delivery_counts
   ), not_queued as (
     select call, jsonb_object_agg(id, reason) as reasons from verdicts where reason is not null group by call
   ), event as (
     insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, trace_parent,
        created_at, request_id, not_queued, sequence)
     select event_id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body,
       trace_parent, created_at, request_id, reasons, head.last - item.numbers + item.number
     from item join head using (company_id) left join not_queued using (call)
   ), in_flight as materialized (
     select d.subscription_id, d.company_id, count(*) as deliveries from deliveries d
     where d.lease_id is not null and d.next_attempt_at > now() and ($16::integer[])[1] is not null
     group by d.subscription_id, d.company_id
   ), queued as (
     select v.call, v.id, v.nth, v.matches, ${dueAt} as due_at, not v.is_failing and not v.has_rate and ${dueAt} <= now() and not exists (
         select from deliveries d where d.subscription_id = v.id and d.state = 'pending' and d.lease_id is null
       ) and not exists (
         select from deliveries d
         where d.subscription_id = v.id and d.state = 'retry_scheduled' and d.lease_id is null and d.next_attempt_at <= now()
       ) as is_first,
       row_number() over (partition by v.call order by v.id) as number,
       row_number() over (order by v.call, v.id) + coalesce((select sum(deliveries) from in_flight), 0) as of_all,
       row_number() over (partition by v.id order by v.call)
         + coalesce((select deliveries from in_flight where in_flight.subscription_id = v.id), 0) as of_subscription,
       row_number() over (partition by v.company_id order by v.call, v.id)
         + coalesce((select sum(deliveries) from in_flight where in_flight.company_id = v.company_id), 0) as of_company
     from matched v${copies}
   ), delivery as (
     insert into deliveries
       (id, subscription_id, company_id, event_id, event, resource_type, resource_id, created_at, next_attempt_at, lease_id, number)
     select ${deliveryIdSql('item.first_delivery_id', 'queued.number')},
       queued.id, item.company_id, item.event_id, item.name, item.resource_type, item.resource_id, item.created_at,
       case when is_leased then statement_timestamp() + make_interval(secs => item.lease_seconds) else queued.due_at end,
       case when is_leased then gen_random_uuid()::text end,
       (head.delivery_counts ->> queued.id)::bigint - queued.matches + queued.nth
     from queued join item using (call) join head using (company_id)
     cross join lateral (
       select item.lease_seconds is not null and queued.is_first
         and queued.of_subscription <= item.subscription_cap and queued.of_company <= item.company_cap
         and queued.of_all <= case queued.of_company when 1 then item.slots else item.shared_slots end as is_leased
     ) lease
     returning id, event_id, subscription_id, lease_id, next_attempt_at, number
   )
   ${RECORDED_DELIVERIES}`,
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
 * name, and a subscription none about itself. A deleted subscription gets neither delivery nor reason.
 *
 * It is one statement and one snapshot, right before the commit, that all events of the transaction share: each is ordered either
 * before or after a concurrent pause or activation. Events get the next numbers of their companies, and deliveries those of their
 * subscriptions. The row of each company with its numbers is locked until the commit, in ascending order of company, so that numbers
 * follow the order of commits, without gaps. Throws if the data does not fit the event's schema.
 *
 * A delivery to an endpoint that has a free slot, no rate, no failing state and nothing due is leased at once, within the same bounds as
 * a claim of the scheduler, and released after the commit. Its lease begins with the statement: the transaction may have waited
 * for locks before. The others are due at once; the commit wakes the scheduler.
 */
export function recordEvent<E extends EventName>(tx: Transaction, event: EventToRecord<E>): RecordedEvent {
  const eventId = newId('evt');
  const body = renderEnvelope({ ...event, eventId });
  const traceParent = injectTrace()['traceparent'] ?? null;
  const requestId = currentRequestId() ?? null;
  const limits = tx.leaseLimits;
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
    body,
    traceParent,
    requestId,
    event.now,
    newId('dlv'),
    limits?.leaseSeconds ?? null,
    limits?.inFlight ?? null,
    limits?.sharedSlots ?? null,
    limits?.subscriptionCap ?? null,
    limits?.companyCap ?? null,
  ];
  const statement = tx.environment === 'sandbox' ? RECORD_EVENTS_WITH_FAULTS : RECORD_EVENTS;
  tx.queryLast<QueuedDelivery | LeasedNow>(statement, values).then(
    (rows) => {
      deliveries = rows.length;
      const leased = rows.filter((row) => row.leaseId !== null);
      tx.releaseAfterCommit(
        leased.map((row) => ({
          ...row,
          attempt: 1,
          eventId,
          event: event.event,
          isTest: false,
          body,
          traceParent,
          requestId,
        })),
      );
      const waiting = rows.filter((row) => row.leaseId === null).map(({ subscriptionId }) => subscriptionId);
      if (waiting.length > 0) tx.wakeAfterCommit('deliveries', waiting);
      tx.announceAfterCommit(
        event.companyId,
        rows.map(({ subscriptionId }) => subscriptionId),
      );
    },
    () => undefined,
  );
  return { eventId, deliveries: () => deliveries };
}
