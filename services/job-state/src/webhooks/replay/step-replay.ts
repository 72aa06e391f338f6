import { newId } from '@partner/kernel/process/ids';
import type { Transaction } from '../../database/database.js';
import { isWaiting, MAKE_DUE } from '../deliveries/delivery-columns.js';
import { deliveryIds, queueDeliveries } from '../deliveries/queue-delivery.js';
import { IS_SELECTED, IS_TO_BE_QUEUED, oldestInStates, selectionValues } from './bulk-replay.js';
import {
  COUNTS,
  type DueBulkReplay,
  scanSize,
  type Step,
  type StepCounts,
  stepOf,
  stepSize,
} from './bulk-replay-step.js';

/**
 * Queues the next deliveries of a bulk replay.
 *
 * Of several deliveries of one event in the span, the newest is replayed. The event is queued once wherever the steps begin and
 * end. A delivery that waits for a retry is made due.
 */
export async function stepReplay(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const size = stepSize(due.perMinute);
  const to = due.to < due.createdAt ? due.to : due.createdAt;
  const selection = { states: due.states ?? [], from: due.from, to, event: due.event ?? undefined };
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select * from (${oldestInStates({ from: 'f.id >= $3 and f.id > $8', limit: '$9::integer' })}) m
     ), to_queue as materialized (
       select m.* from scanned m
       where ${IS_SELECTED} and ${IS_TO_BE_QUEUED} and not exists (
         select 1 from finished_deliveries f
         where f.event_id = m.event_id and f.subscription_id = $1 and f.id > m.id and f.state = any($2) and f.id < $4
           and f.created_at >= $5 and f.created_at < $6 and not f.is_test
       )
       order by m.id limit $10
     ), retried as (
       update deliveries d set ${MAKE_DUE}
       from (
         select w.id from deliveries w join to_queue m on m.id = w.id
         where ${isWaiting('w', 'retry_scheduled')}
         order by w.id for no key update of w skip locked
       ) waiting
       where d.id = waiting.id
     ), queued as (
       ${queueDeliveries(
         {
           id: deliveryIds('$11', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$12',
           eventId: 'm.event_id',
           event: 'm.event',
           resourceType: 'm.resource_type',
           resourceId: 'm.resource_id',
           replayOf: 'm.id',
           bulkReplayId: '$13',
           number: 'm.number',
         },
         `to_queue m where m.state <> 'retry_scheduled'`,
       )}
     )
     ${COUNTS}`,
    [
      ...selectionValues(due.subscriptionId, selection),
      due.afterId,
      scanSize(size),
      size,
      newId('dlv'),
      due.companyId,
      due.id,
    ],
  );
  return stepOf(counts, due, true);
}
