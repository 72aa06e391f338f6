import { newId } from '@partner/kernel/process/ids';
import { CHANGED_IN_BODY, wantsChange } from '../events/wants-change.js';
import { invariant } from '@partner/kernel/process/invariant';
import type { Transaction } from '../../database/database.js';
import { deliveryIds, ofEvent, orderedOf, queueDeliveries } from '../deliveries/queue-delivery.js';
import type { DueBulkReplay } from './bulk-replay-resource.js';

const SECONDS_PER_MINUTE = 60;
/** Deliveries or events that one step scans: at most this many for each that it may queue, and at least this many. */
const SCANNED = { perQueued: 5, atLeast: 500 };
/** Delay between two polls of a back-fill that waits for its last events to settle. */
const SETTLE_PAUSE_SECONDS = 5;

export interface Step {
  readonly queued: number;
  /** The last delivery or event that the step passed. */
  readonly afterId: string;
  readonly isDone: boolean;
  /** Delay in seconds in addition to that of the rate. */
  readonly pauseSeconds: number;
}

export interface StepCounts {
  readonly scanned: number;
  readonly lastScanned: string | null;
  readonly queued: number;
  readonly lastQueued: string | null;
}

/** Selects {@link StepCounts} from `scanned` and `to_queue`. */
export const COUNTS = `
  select (select count(*)::integer from scanned) as scanned, (select max(id) from scanned) as "lastScanned",
    (select count(*)::integer from to_queue) as queued, (select max(id) from to_queue) as "lastQueued"`;

/** `isComplete`: nothing can follow the scanned rows. */
export function stepOf(counts: StepCounts | undefined, due: DueBulkReplay, isComplete: boolean): Step {
  invariant(counts, 'a count has a row');
  const { scanned, lastScanned, queued, lastQueued } = counts;
  const max = stepSizes(due);
  const isFull = queued === max.queued;
  const hasScannedAll = !isFull && scanned < max.scanned;
  return {
    queued,
    afterId: (isFull ? lastQueued : lastScanned) ?? due.afterId,
    isDone: hasScannedAll && isComplete,
    pauseSeconds: hasScannedAll ? SETTLE_PAUSE_SECONDS : 0,
  };
}

/** Rows that one step queues at most, a second's worth of the rate, and those that it scans, however few it queues. */
export function stepSizes({ perMinute }: DueBulkReplay) {
  const queued = Math.max(1, Math.floor(perMinute / SECONDS_PER_MINUTE));
  return { queued, scanned: Math.max(SCANNED.atLeast, SCANNED.perQueued * queued) };
}

/** SQL that adds its values to the statement: `add` returns the parameter of a value. */
export type Condition = (add: (value: unknown) => string) => string;

interface NextEvents {
  /** Range of their ids: from the first on, before the second. */
  readonly ids: readonly [string, string];
  readonly names: readonly string[];
  /** No delivery of them has a lower id. */
  readonly lowestDeliveryId: string;
  /** Condition on `events e`. */
  readonly isScanned: Condition;
  /** Condition on those that meet it, as `m`. */
  readonly isQueued: Condition;
  /** No event can follow the scanned ones. */
  readonly isComplete: boolean;
}

/**
 * Common table expressions that number the events of `with_last`, of which each has the number of its last delivery, if there was one.
 *
 * Only those without get new numbers. The result is `numbered`, with `number`.
 *
 * Lock: the numbers of the company, if there are new ones.
 */
const NUMBERED = `
  first_queued as materialized (
    select id, row_number() over (order by id) as nth from with_last where is_first
  ), head as (
    select (taken.delivery_counts ->> $1)::bigint - first.count as before
    from (select count(*) from first_queued having count(*) > 0) first
    cross join lateral take_event_numbers(array[$2], array[0], array[jsonb_build_object($1::text, first.count)]) taken
  ), numbered as (
    select with_last.*, coalesce(with_last.replayed_number, head.before + first_queued.nth) as number
    from with_last left join first_queued using (id) left join head on true
  )`;

/**
 * Queues the next events that have no unfinished delivery to the subscription, in ascending id, each as a replay of its last delivery.
 *
 * An event that is withdrawn concurrently is not queued: the step locks its events in ascending id.
 */
export async function queueEvents(
  tx: Transaction,
  due: DueBulkReplay,
  { ids: [fromId, beyondId], names, lowestDeliveryId, isScanned, isQueued, isComplete }: NextEvents,
): Promise<Step> {
  const max = stepSizes(due);
  const values: unknown[] = [
    due.subscriptionId,
    due.companyId,
    due.afterId,
    fromId,
    beyondId,
    max.scanned,
    names,
    due.schemaVersion,
    max.queued,
    newId('dlv'),
    due.id,
    lowestDeliveryId,
  ];
  const add = (value: unknown) => `$${values.push(value)}`;
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select e.id, e.name, e.resource_type, e.resource_id, e.schema_version, e.created_at, e.not_queued,
         case when e.name = any($7::text[]) then
           ${wantsChange('s.fields', 'e.name', CHANGED_IN_BODY)} end as is_wanted
       from events e join subscriptions s on s.id = $1
       where e.company_id = $2 and e.id > $3 and e.id >= $4 and e.id < $5 and e.test_subscription_id is null and ${isScanned(add)}
       order by e.id limit $6
     ), to_queue as materialized (
       select m.* from scanned m
       where m.is_wanted and m.schema_version = $8 and m.resource_id <> $1
         and not exists (select 1 from deliveries u where u.event_id = m.id and u.subscription_id = $1) and ${isQueued(add)}
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
     ), ${NUMBERED}, queued as (
       ${queueDeliveries(
         {
           ...ofEvent('m'),
           id: deliveryIds('$10', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$2',
           replayOf: 'm.replay_of',
           bulkReplayId: '$11',
           number: 'm.number',
           ordered: orderedOf('$1'),
         },
         'numbered m',
       )}
     )
     ${COUNTS}`,
    values,
  );
  return stepOf(counts, due, isComplete);
}
