import { idFloor } from '@partner/kernel/process/ids';
import type { Transaction } from '../../database/database.js';
import { eventsSentTo } from '../events/events-sent-to.js';
import type { DueBulkReplay } from './bulk-replay-resource.js';
import { queueEvents, type Step } from './queue-events.js';

/** Age of an event before a back-fill passes it: longer than any transaction that commits one. */
const EVENTS_SETTLED_MS = 60_000;

/**
 * Queues the next events that a back-fill missed. Passes events only once they have settled.
 *
 * An event whose transaction was in flight at the pause or the activation saw a paused subscription and may have been committed
 * later. Its instant is outside the pause; the reason why it was not queued identifies it.
 */
export function stepBackfill(tx: Transaction, due: DueBulkReplay, now: Date): Promise<Step> {
  const settled = new Date(now.getTime() - EVENTS_SETTLED_MS);
  const end = new Date(due.to.getTime() + EVENTS_SETTLED_MS + 1);
  const begin = new Date(due.from.getTime() - EVENTS_SETTLED_MS);
  const lowestDeliveryId = idFloor('dlv', new Date(begin.getTime() - EVENTS_SETTLED_MS));
  return queueEvents(tx, due, {
    ids: [idFloor('evt', begin), idFloor('evt', settled < end ? settled : end)],
    names: eventsSentTo(due),
    lowestDeliveryId,
    isScanned: () => 'true',
    isQueued: (add) => {
      const subscription = `${add(due.subscriptionId)}::text`;
      return `(m.created_at between ${add(due.from)} and ${add(due.to)} or m.not_queued ->> ${subscription} = 'paused')
         and not exists (
           select 1 from finished_deliveries f
           where f.event_id = m.id and f.subscription_id = ${subscription} and f.id >= ${add(lowestDeliveryId)}
         )`;
    },
    isComplete: settled >= end,
  });
}
