import type { PreparedStatement } from '../../database/connection-pool.js';
import { hasSlot, inFlightBySubscription, isFailing } from '../deliveries/claim-rule.js';
import { isDue, isWaiting } from '../deliveries/delivery-columns.js';
import { leasedColumns, type LeasedRow } from '../deliveries/leased-delivery.js';
import { deliveryIds, queueDeliveries } from '../deliveries/queue-delivery.js';
import { ADDED_COUNTS } from './delivery-numbers.js';

/** A delivery of a recorded event: one that was leased with it, or one that waits for the scheduler. */
export type RecordedDelivery = LeasedRow | (Pick<LeasedRow, 'subscriptionId'> & { readonly leaseId: null });

const LEASED = `item.lease_seconds is not null and queued.is_first
         and queued.of_subscription <= item.subscription_cap and queued.of_company <= item.company_cap
         and ${hasSlot('queued.of_all', 'queued.of_company', 'item.slots', 'item.shared_slots')}`;

/**
 * Records events and their deliveries, for all calls of a transaction:
 *
 * - `item` are the events, numbered within their company;
 * - `verdicts` has each subscription of their companies, with the reason why it gets no delivery, and `matched` those without;
 * - `head` takes the next numbers of the companies and subscriptions. Lock: a row of each company, in ascending order;
 * - `event` inserts the events;
 * - `in_flight` counts the leases, if any delivery may be leased;
 * - `queued` numbers the deliveries as they would be in flight. `is_first`: the endpoint is neither failing nor limited to a rate,
 *   and nothing else is due to it;
 * - `leased` inserts the deliveries, those within the bounds of the claim rule with a lease.
 *
 * The result has every delivery, and what an attempt needs of those with a lease.
 */
export const RECORD_EVENTS: PreparedStatement = {
  name: 'record-events',
  shared: 'last',
  text: `with item as materialized (
     select *, row_number() over of_company as number, count(*) over (partition by company_id) as numbers
     from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::integer[], $7::timestamptz[],
         $8::text[], $9::text[], $10::integer[], $11::bytea[], $12::text[], $13::text[], $14::timestamptz[], $15::text[],
         $16::integer[], $17::integer[], $18::integer[], $19::integer[], $20::integer[])
       with ordinality as item (event_id, company_id, name, event_group, classes, schema_version, occurred_at,
         resource_type, resource_id, resource_version, body, trace_parent, request_id, created_at, first_delivery_id,
         lease_seconds, slots, shared_slots, subscription_cap, company_cap, call)
     window of_company as (partition by company_id order by call)
   ), verdicts as materialized (
     select item.call, s.id, item.company_id, ${isFailing('s')} as is_failing, s.deliveries_per_second is not null as has_rate,
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
   ), in_flight as materialized (${inFlightBySubscription('', '($16::integer[])[1] is not null')}
   ), queued as (
     select v.call, v.id, v.nth, v.matches, not v.is_failing and not v.has_rate and not exists (
         select from deliveries d where d.subscription_id = v.id and ${isWaiting('d', 'pending')}
       ) and not exists (
         select from deliveries d where d.subscription_id = v.id and ${isWaiting('d', 'retry_scheduled')} and ${isDue('d')}
       ) as is_first,
       row_number() over (partition by v.call order by v.id) as number,
       row_number() over (order by v.call, v.id) + coalesce((select sum(deliveries) from in_flight), 0) as of_all,
       row_number() over (partition by v.id order by v.call)
         + coalesce((select deliveries from in_flight where in_flight.subscription_id = v.id), 0) as of_subscription,
       row_number() over (partition by v.company_id order by v.call, v.id)
         + coalesce((select sum(deliveries) from in_flight where in_flight.company_id = v.company_id), 0) as of_company
     from matched v
   ), leased as (
     ${queueDeliveries(
       {
         id: deliveryIds('item.first_delivery_id', 'queued.number'),
         subscriptionId: 'queued.id',
         companyId: 'item.company_id',
         eventId: 'item.event_id',
         event: 'item.name',
         resourceType: 'item.resource_type',
         resourceId: 'item.resource_id',
         createdAt: 'item.created_at',
         dueAt:
           'case when is_leased then statement_timestamp() + make_interval(secs => item.lease_seconds) else now() end',
         leaseId: 'case when is_leased then gen_random_uuid()::text end',
         number: '(head.delivery_counts ->> queued.id)::bigint - queued.matches + queued.nth',
       },
       `queued join item using (call) join head using (company_id) cross join lateral (select ${LEASED} as is_leased) lease`,
     )}
     returning *
   )
   select item.call, ${leasedColumns('leased')}
   from leased join item using (event_id)
   left join (subscriptions s join subscription_secrets secret
     on secret.subscription_id = s.id and secret.version = s.secret_version)
     on s.id = leased.subscription_id and leased.lease_id is not null`,
};
