import { idFloor, newId } from '@partner/kernel/process/ids';
import { idsCreatedWithin } from '../../database/created-within.js';
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
import { eventSpan, eventsSentTo } from './replay-events.js';

/** Age of an event before a back-fill passes it: longer than any transaction that commits one. */
const EVENTS_SETTLED_MS = 60_000;

interface NextEvents {
  /** Range of their ids: from the first on, before the second. */
  readonly ids: readonly [string, string];
  readonly names: readonly string[];
  /** No delivery of them has a lower id. */
  readonly lowestDeliveryId: string;
  /** Condition on `events e`, and on those that meet it as `m`; `values` are its parameters from $13 on. */
  readonly isScanned: string;
  readonly isQueued: string;
  readonly values: readonly unknown[];
}

/**
 * Queues the next events that have no unfinished delivery to the subscription, in ascending id, each as a replay of its last delivery.
 *
 * An event that is withdrawn concurrently is not queued: the step locks its events in ascending id.
 */
async function queueEvents(
  tx: Transaction,
  due: DueBulkReplay,
  { ids: [fromId, beyondId], names, lowestDeliveryId, isScanned, isQueued, values }: NextEvents,
): Promise<StepCounts | undefined> {
  const size = stepSize(due.perMinute);
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version, e.created_at, e.not_queued from events e
       where e.company_id = $2 and e.id > $3 and e.id >= $4 and e.id < $5 and e.test_subscription_id is null and ${isScanned}
       order by e.id limit $6
     ), to_queue as materialized (
       select m.* from scanned m
       where m.name = any($7::text[]) and m.schema_version = $8 and m.resource_id <> $1
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1) and ${isQueued}
       order by m.id limit $9
     ), locked as materialized (
       select e.id from to_queue m join events e on e.id = m.id order by e.id for key share of e
     ), with_last as materialized (
       select m.*, last.id as replay_of, last.id is null as is_first, last.number as replayed_number
       from to_queue m join locked using (id)
       left join lateral (
         select f.id, f.number from finished_deliveries f
         where f.event_id = m.id and f.subscription_id = $1 and f.id >= $12
         order by f.id desc limit 1
       ) last on true
     ), ${numberedFrom('with_last')}, queued as (
       ${queueDeliveries(
         {
           ...ofEvent('m'),
           id: deliveryIds('$10', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$2',
           replayOf: 'm.replay_of',
           bulkReplayId: '$11',
           number: 'm.number',
         },
         'numbered m',
       )}
     )
     ${COUNTS}`,
    [
      due.subscriptionId,
      due.companyId,
      due.afterId,
      fromId,
      beyondId,
      scanSize(size),
      names,
      due.schemaVersion,
      size,
      newId('dlv'),
      due.id,
      lowestDeliveryId,
      ...values,
    ],
  );
  return counts;
}

/** Queues the next events of a replay of events. Those of a transaction in flight are not part of it: their own statement queues them. */
export async function stepEvents(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const { lowest, beyond } = idsCreatedWithin('evt', due);
  const { condition, values } = eventSpan(due, 13);
  const counts = await queueEvents(tx, due, {
    ids: [lowest, beyond],
    names: eventsSentTo(due, due.event ?? undefined),
    lowestDeliveryId: idsCreatedWithin('dlv', due).lowest,
    isScanned: condition,
    isQueued: 'true',
    values,
  });
  return stepOf(counts, due, true);
}

/**
 * Queues the next events that a back-fill missed. Passes events only once they have settled.
 *
 * An event whose transaction was in flight at the pause or the activation saw a paused subscription and may have been committed
 * later. Its instant is outside the pause; the reason why it was not queued identifies it.
 */
export async function stepBackfill(tx: Transaction, due: DueBulkReplay, now: Date): Promise<Step> {
  const settled = new Date(now.getTime() - EVENTS_SETTLED_MS);
  const end = new Date(due.to.getTime() + EVENTS_SETTLED_MS + 1);
  const begin = new Date(due.from.getTime() - EVENTS_SETTLED_MS);
  const counts = await queueEvents(tx, due, {
    ids: [idFloor('evt', begin), idFloor('evt', settled < end ? settled : end)],
    names: eventsOfSubscription(due.events, due.companyClass),
    lowestDeliveryId: idFloor('dlv', new Date(begin.getTime() - EVENTS_SETTLED_MS)),
    isScanned: 'true',
    isQueued: `(m.created_at between $13 and $14 or m.not_queued ->> $1 = 'paused') and not exists (
      select 1 from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1 and f.id >= $12
    )`,
    values: [due.from, due.to],
  });
  return stepOf(counts, due, settled >= end);
}
