import { idFloor, newId } from '@partner/kernel/process/ids';
import type { Transaction } from '../../database/database.js';
import { deliveryIds, ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';
import { numberedFrom } from '../events/delivery-numbers.js';
import { eventsOfSubscription } from '../events/events-of-subscription.js';
import {
  COUNTS,
  type DueBulkReplay,
  scanSize,
  type Step,
  type StepCounts,
  stepOf,
  stepSize,
} from './bulk-replay-step.js';

/** Age of an event before a back-fill passes it: longer than any transaction that commits one. */
const EVENTS_SETTLED_MS = 60_000;

/**
 * Queues the next events that a back-fill missed.
 *
 * Passes events only once they have settled.
 *
 * An event whose transaction was in flight at the pause or the activation saw a paused subscription and may have been committed
 * later. Its instant is outside the pause; the reason why it was not queued identifies it. An event that is withdrawn
 * concurrently is not queued: the step locks its events in ascending id.
 */
export async function stepBackfill(tx: Transaction, due: DueBulkReplay, now: Date): Promise<Step> {
  const size = stepSize(due.perMinute);
  const settled = new Date(now.getTime() - EVENTS_SETTLED_MS);
  const end = new Date(due.to.getTime() + EVENTS_SETTLED_MS + 1);
  const begin = new Date(due.from.getTime() - EVENTS_SETTLED_MS);
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version, e.created_at, e.not_queued from events e
       where e.company_id = $2 and e.id > $3 and e.id < $4 and e.test_subscription_id is null
       order by e.id limit $5
     ), to_queue as materialized (
       select m.* from scanned m
       where m.name = any($6::text[]) and m.schema_version = $7 and m.resource_id <> $1
         and (m.created_at between $8 and $9 or m.not_queued ->> $1 = 'paused')
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1)
         and not exists (
           select 1 from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1 and f.id >= $10
         )
       order by m.id limit $11
     ), locked as materialized (
       select e.id from to_queue m join events e on e.id = m.id order by e.id for key share of e
     ), first_of_event as materialized (
       select m.*, true as is_first, null::bigint as replayed_number from to_queue m join locked using (id)
     ), ${numberedFrom('first_of_event')}, queued as (
       ${queueDeliveries(
         {
           ...ofEvent('m'),
           id: deliveryIds('$12', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$2',
           bulkReplayId: '$13',
           number: 'm.number',
         },
         'numbered m',
       )}
     )
     ${COUNTS}`,
    [
      due.subscriptionId,
      due.companyId,
      later(due.afterId, idFloor('evt', begin)),
      idFloor('evt', settled < end ? settled : end),
      scanSize(size),
      eventsOfSubscription(due.events, due.companyClass),
      due.schemaVersion,
      due.from,
      due.to,
      idFloor('dlv', new Date(begin.getTime() - EVENTS_SETTLED_MS)),
      size,
      newId('dlv'),
      due.id,
    ],
  );
  return stepOf(counts, due, size, settled >= end);
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
