import type { PreparedStatement } from '../../database/connection-pool.js';
import { column, type RowOf, unnestColumns } from '../../database/columns.js';
import { hasSlot, inFlightBySubscription, isFailing } from '../deliveries/claim-rule.js';
import { isDue, isWaiting } from '../deliveries/delivery-columns.js';
import { leasedColumns, type LeasedRow } from '../deliveries/leased-delivery.js';
import { wantsChange } from './wants-change.js';
import { deliveryIds, queueDeliveries } from '../deliveries/queue-delivery.js';

/** A delivery of a recorded event: one that was leased with it, or one that waits for the scheduler. */
export type RecordedDelivery = LeasedRow | (Pick<LeasedRow, 'subscriptionId'> & { readonly leaseId: null });

/** What a call records: the event, and the bounds of a lease, null if the scheduler leases its deliveries. */
const ITEM = {
  eventId: column<string>('event_id', 'text'),
  companyId: column<string>('company_id', 'text'),
  name: column<string>('name', 'text'),
  group: column<string>('event_group', 'text'),
  /** Of the companies that may have it, separated by spaces. */
  classes: column<string>('classes', 'text'),
  schemaVersion: column<number>('schema_version', 'integer'),
  /** Fields that changed, separated by spaces; null for an event that says nothing about changes. */
  changed: column<string | null>('changed', 'text'),
  occurredAt: column<Date>('occurred_at', 'timestamptz'),
  resourceType: column<string>('resource_type', 'text'),
  resourceId: column<string>('resource_id', 'text'),
  resourceVersion: column<number>('resource_version', 'integer'),
  body: column<Buffer>('body', 'bytea'),
  traceParent: column<string | null>('trace_parent', 'text'),
  requestId: column<string | null>('request_id', 'text'),
  createdAt: column<Date>('created_at', 'timestamptz'),
  firstDeliveryId: column<string>('first_delivery_id', 'text'),
  leaseSeconds: column<number | undefined>('lease_seconds', 'integer'),
  inFlight: column<number | undefined>('slots', 'integer'),
  sharedSlots: column<number | undefined>('shared_slots', 'integer'),
  subscriptionCap: column<number | undefined>('subscription_cap', 'integer'),
  companyCap: column<number | undefined>('company_cap', 'integer'),
} as const;

export function itemValues(item: Partial<RowOf<typeof ITEM>>): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = item;
  return Object.keys(ITEM).map((field) => values[field] ?? null);
}

const LEASED = `item.lease_seconds is not null and queued.is_first
         and queued.of_subscription <= item.subscription_cap and queued.of_company <= item.company_cap
         and ${hasSlot('queued.of_all', 'queued.of_company', 'item.slots', 'item.shared_slots')}`;

/**
 * Records events and their deliveries, for all calls of a transaction:
 *
 * - `item` are the events, numbered within their company;
 * - `verdicts` has each subscription of their companies, with the reason why it gets no delivery, and `matched` those without;
 * - `head` takes the next numbers of the companies and subscriptions. Lock: each company, in ascending order;
 * - `event` inserts the events, each with its `not_queued` subscriptions;
 * - `in_flight` counts the leases, if any delivery may be leased;
 * - `queued` numbers the deliveries as they would be in flight. `is_first`: the endpoint is neither failing nor limited to a rate or
 *   an order, and nothing else is due to it;
 * - `leased` inserts the deliveries, those within the bounds of the claim rule with a lease.
 *
 * The result has every delivery, and what an attempt needs of those with a lease.
 */
export const RECORD_EVENTS: PreparedStatement = {
  name: 'record-events',
  shared: 'last',
  text: `with item as materialized (
     select *, row_number() over of_company as number, count(*) over (partition by company_id) as numbers
     from (select *, row_number() over () as call from ${unnestColumns(ITEM, 'item')}) item
     window of_company as (partition by company_id order by call)
   ), verdicts as materialized (
     select item.call, s.id, item.company_id, ${isFailing('s')} as is_failing, s.deliveries_per_second is not null as has_rate, s.ordered,
       case
         when c.class <> all(string_to_array(item.classes, ' ')) then 'class'
         when not s.events && array[item.name, item.event_group] or s.id = item.resource_id then 'not_subscribed'
         when s.schema_version <> item.schema_version then 'schema_version'
         when not ${wantsChange('s.fields', 'item.name', "string_to_array(item.changed, ' ')")} then 'fields'
         when s.state = 'paused' then 'paused'
       end as reason
     from item
     join companies c on c.id = item.company_id
     join subscriptions s on s.company_id = item.company_id and s.deleted_at is null
   ), matched as materialized (
     select *, row_number() over (partition by id order by call) as nth, count(*) over (partition by id) as matches
     from verdicts where reason is null
   ), head as (
     select taken.* from (
       select array_agg(company_id) as companies, array_agg(events) as events, array_agg(queued) as queued
       from (
         select item.company_id, count(*) as events, (
           select coalesce(jsonb_object_agg(m.id, m.matches), '{}') from matched m where m.company_id = item.company_id and m.nth = 1
         ) as queued
         from item group by item.company_id
       ) of_company
     ) added cross join lateral take_event_numbers(added.companies, added.events, added.queued) taken
   ), not_queued as (
     select call, jsonb_object_agg(id, reason) as reasons from verdicts where reason is not null group by call
   ), event as (
     insert into events
       (id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body, trace_parent,
        created_at, request_id, not_queued, sequence)
     select event_id, company_id, name, schema_version, occurred_at, resource_type, resource_id, resource_version, body,
       trace_parent, created_at, request_id, reasons, head.last - item.numbers + item.number
     from item join head using (company_id) left join not_queued using (call)
   ), in_flight as materialized (${inFlightBySubscription('', 'exists (select from item where lease_seconds is not null)')}
   ), queued as (
     select v.call, v.id, v.nth, v.matches, v.ordered, not v.is_failing and not v.has_rate and not v.ordered and not exists (
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
         ordered: 'queued.ordered',
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
