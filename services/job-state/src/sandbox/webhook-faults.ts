import { newId } from '@partner/kernel/process/ids';
import type { Queryable } from '../database/database.js';
import { setDueAt } from '../webhooks/deliveries/delivery-columns.js';
import type { LeasedDelivery } from '../webhooks/deliveries/leased-delivery.js';
import { deliveryIds, queueDeliveries } from '../webhooks/deliveries/queue-delivery.js';

/** Seconds of events that arrive in the opposite order. */
const REORDERED_SECONDS = 4;

/**
 * Applies the fault scripts of companies to the first deliveries of events that were leased:
 *
 * - `leased` are these deliveries, not tests and replays. The time of an event is mirrored around the end of its 4 seconds, so the
 *   earliest one is due last;
 * - `withheld` ends the leases of those that are due later;
 * - `copied` queues a second delivery, due a second later, unless there is one.
 */
const APPLY = {
  name: 'apply-webhook-faults',
  text: `with leased as materialized (
     select d.*, script.duplicate,
       case when script.reorder then d.created_at + make_interval(secs => 2 *
         (${REORDERED_SECONDS} - mod(extract(epoch from d.created_at), ${REORDERED_SECONDS}))::double precision) end as mirrored
     from unnest($1::text[], $2::text[]) as lease (id, lease_id)
     join deliveries d on d.id = lease.id and d.lease_id = lease.lease_id
     cross join lateral (
       select coalesce(bool_or((k.faults -> 'webhooks' ->> 'duplicate')::boolean), false) as duplicate,
         coalesce(bool_or((k.faults -> 'webhooks' ->> 'reorder')::boolean), false) as reorder
       from api_keys k where k.company_id = d.company_id and k.faults is not null and k.revoked_at is null
         and (k.expires_at is null or k.expires_at > now())
     ) script
     where d.id = any($1::text[]) and d.attempts = 0 and not d.is_test and d.replay_of is null and d.bulk_replay_id is null
   ), withheld as (
     update deliveries d set lease_id = null, ${setDueAt('leased.mirrored')} from leased
     where d.id = any($1::text[]) and d.id = leased.id and leased.mirrored > now()
     returning d.id
   ), copied as (
     ${queueDeliveries(
       {
         id: deliveryIds('$3::text', 'row_number() over (order by leased.id)'),
         subscriptionId: 'leased.subscription_id',
         companyId: 'leased.company_id',
         eventId: 'leased.event_id',
         event: 'leased.event',
         resourceType: 'leased.resource_type',
         resourceId: 'leased.resource_id',
         createdAt: 'leased.created_at',
         dueAt: `greatest(now(), leased.mirrored) + interval '1 second'`,
         number: 'leased.number',
       },
       `leased where leased.duplicate and not exists (
         select from all_deliveries other
         where other.event_id = leased.event_id and other.subscription_id = leased.subscription_id and other.id <> leased.id
       )`,
     )}
   )
   select id from withheld`,
};

/**
 * Returns what decides, in the sandbox, which leased deliveries are published now (decision SANDBOX-2).
 *
 * It runs after the commit of an event. A crash before its end leaves leases, which expire: it then runs again, and changes no
 * more than the first time.
 */
export function webhookFaults(
  database: Queryable,
): (leased: readonly LeasedDelivery[]) => Promise<readonly LeasedDelivery[]> {
  return async (leased) => {
    const rows = await database.query<{ id: string }>(APPLY, [
      leased.map(({ id }) => id),
      leased.map(({ leaseId }) => leaseId),
      newId('dlv'),
    ]);
    const withheld = new Set(rows.map(({ id }) => id));
    return leased.filter(({ id }) => !withheld.has(id));
  };
}
