import { newId } from '@partner/kernel/process/ids';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Transaction } from '../../database/database.js';
import { deliveryIds, ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';
import { numberedFrom } from '../events/delivery-numbers.js';
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

/**
 * Queues the next events of a replay of events.
 *
 * Passes the selected events in ascending id, so that each is queued once.
 *
 * Those of a transaction in flight are not part of it: their own statement queues them. An event that is withdrawn concurrently is
 * not queued, as in a step of a back-fill.
 */
export async function stepEvents(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const size = stepSize(due.perMinute);
  const { lowest, beyond } = idsCreatedWithin('evt', { from: due.from, to: due.to });
  const { condition, values } = eventSpan(due, 12);
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version from events e
       where e.company_id = $2 and e.id > $3 and e.id >= $4 and e.id < $5 and e.test_subscription_id is null and ${condition}
       order by e.id limit $6
     ), to_queue as materialized (
       select m.* from scanned m
       where m.name = any($7::text[]) and m.schema_version = $8 and m.resource_id <> $1
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1)
       order by m.id limit $9
     ), locked as materialized (
       select e.id from to_queue m join events e on e.id = m.id order by e.id for key share of e
     ), with_last as materialized (
       select m.*, last.id as replay_of, last.id is null as is_first, last.number as replayed_number
       from to_queue m join locked using (id)
       left join lateral (
         select f.id, f.number from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1
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
      lowest,
      beyond,
      scanSize(size),
      eventsSentTo(due, due.event ?? undefined),
      due.schemaVersion,
      size,
      newId('dlv'),
      due.id,
      ...values,
    ],
  );
  return stepOf(counts, due, size, true);
}
