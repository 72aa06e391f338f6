import { idFloor, newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Transaction } from '../../database/database.js';
import { isWaiting, MAKE_DUE } from '../deliveries/delivery-columns.js';
import { deliveryIds, ofEvent, queueDeliveries } from '../deliveries/queue-delivery.js';
import { numberedFrom } from '../events/delivery-numbers.js';
import { eventsSentTo } from '../events/events-sent-to.js';
import { IS_SELECTED, IS_TO_BE_QUEUED, oldestInStates, selectionValues } from './bulk-replay.js';
import type { BulkReplayRow } from './bulk-replay-resource.js';
import { eventSpan } from './replay-events.js';

const SECONDS_PER_MINUTE = 60;
/** Deliveries or events that one step scans: at most this many for each that it may queue, and at least this many. */
const SCANNED = { perQueued: 5, atLeast: 500 };
/** Delay between two polls of a back-fill that waits for its last events to settle. */
const SETTLE_PAUSE_SECONDS = 5;

/** Age of an event before a back-fill passes it: longer than any transaction that commits one. */
const EVENTS_SETTLED_MS = 60_000;

export interface DueBulkReplay extends BulkReplayRow {
  readonly afterId: string;
  readonly isDeleted: boolean;
  readonly events: readonly string[];
  readonly schemaVersion: number;
  readonly companyClass: CompanyClassName;
  /** Of a replay of events by number, decimal texts; else null. */
  readonly firstSequence: string | null;
  readonly lastSequence: string | null;
  /** Of a replay of events by id; else null. */
  readonly eventIds: readonly string[] | null;
}

export interface Step {
  readonly queued: number;
  /** The last delivery or event that the step passed. */
  readonly afterId: string;
  readonly isDone: boolean;
  /** Delay in seconds in addition to that of the rate. */
  readonly pauseSeconds: number;
}

interface StepCounts {
  readonly scanned: number;
  readonly lastScanned: string | null;
  readonly queued: number;
  readonly lastQueued: string | null;
}

/** Selects {@link StepCounts} from `scanned` and `to_queue`. */
const COUNTS = `
  select (select count(*)::integer from scanned) as scanned, (select max(id) from scanned) as "lastScanned",
    (select count(*)::integer from to_queue) as queued, (select max(id) from to_queue) as "lastQueued"`;

/** `isComplete`: nothing can follow the scanned rows. */
function stepOf(counts: StepCounts | undefined, due: DueBulkReplay, isComplete: boolean): Step {
  invariant(counts, 'a count has a row');
  const { scanned, lastScanned, queued, lastQueued } = counts;
  const size = stepSize(due.perMinute);
  const isFull = queued === size;
  const hasScannedAll = !isFull && scanned < scanSize(size);
  return {
    queued,
    afterId: (isFull ? lastQueued : lastScanned) ?? due.afterId,
    isDone: hasScannedAll && isComplete,
    pauseSeconds: hasScannedAll ? SETTLE_PAUSE_SECONDS : 0,
  };
}

/** Size of a batch: a second's worth of the rate, at least one. */
function stepSize(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute / SECONDS_PER_MINUTE));
}

/** Rows that one step scans, however few of them are to be queued. */
function scanSize(size: number): number {
  return Math.max(SCANNED.atLeast, SCANNED.perQueued * size);
}

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
    names: eventsSentTo(due),
    lowestDeliveryId: idFloor('dlv', new Date(begin.getTime() - EVENTS_SETTLED_MS)),
    isScanned: 'true',
    isQueued: `(m.created_at between $13 and $14 or m.not_queued ->> $1 = 'paused') and not exists (
      select 1 from finished_deliveries f where f.event_id = m.id and f.subscription_id = $1 and f.id >= $12
    )`,
    values: [due.from, due.to],
  });
  return stepOf(counts, due, settled >= end);
}
