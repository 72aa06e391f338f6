import {
  type BulkReplayPreview,
  PREVIEWED_RESOURCES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventsNamedBy } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Database, Transaction } from '../../database/database.js';
import { isDue, isWaiting, MAKE_DUE } from '../deliveries/delivery-columns.js';
import { deliveryIds, orderedOf, queueDeliveries } from '../deliveries/queue-delivery.js';
import { type ChangeDeps, recordChange } from '../subscriptions/change-subscription.js';
import {
  type Caller,
  getSubscription,
  lockSubscription,
  type SubscriptionOfCompany,
} from '../subscriptions/get-subscription.js';
import { MAX_DELIVERIES_COUNTED } from './bulk-replay.js';
import {
  type BulkReplayRow,
  type DueBulkReplay,
  insertBulkReplays,
  refuseSecond,
} from './bulk-replay-resource.js';
import { COUNTS, type Step, type StepCounts, stepOf, stepSizes } from './queue-events.js';

interface BulkReplaySelection {
  /**
   * Of `dead_lettered`, `delivered` and `retry_scheduled`. A dead-lettered one matches only if its event has not been delivered
   * since, one that waits for a retry only until that is due.
   */
  readonly states: NonNullable<BulkReplayRow['states']>;
  readonly from: Date;
  readonly to: Date;
  /** An event or `group.*`; undefined: all. */
  readonly event: string | undefined;
  /** How the last attempt failed; absent: any. */
  readonly cause?: BulkReplayRow['cause'] | undefined;
}

interface DeliveriesToReplay extends SubscriptionOfCompany {
  readonly selection: BulkReplaySelection;
  readonly perMinute: number;
}

/**
 * The oldest deliveries of subscription $1 in one of the states $2, with `from` true for the id and before $4.
 *
 * It returns at most `limit` rows. Of finished deliveries it reads at most that many per state, through the index that has the
 * state, however many others there are.
 */
function oldestInStates({ from, limit }: { readonly from: string; readonly limit: string }): string {
  const columns =
    'f.id, f.event_id, f.event, f.resource_type, f.resource_id, f.state, f.created_at, f.is_test, f.number';
  return `
  select f.* from (select distinct state from unnest($2::text[]) as state) meant
  cross join lateral (
    (
      select ${columns} from finished_deliveries f
      where f.subscription_id = $1 and f.state = meant.state and ${from} and f.id < $4
      order by f.id limit ${limit}
    ) union all (
      select ${columns} from deliveries f
      where meant.state = 'retry_scheduled' and f.subscription_id = $1 and ${isWaiting('f', 'retry_scheduled')}
        and not ${isDue('f')} and ${from} and f.id < $4
      order by f.id limit ${limit}
    )
  ) f
  order by f.id limit ${limit}`;
}

/**
 * Whether a selection matches a delivery.
 *
 * It matches if it was created from $5 on and before $6, is of one of the events $7 (null: any), is not a test, and its last attempt
 * failed like $8 (null: any).
 */
const isSelected = (delivery: string) => `
  ${delivery}.created_at >= $5 and ${delivery}.created_at < $6 and not ${delivery}.is_test
  and ($7::text[] is null or ${delivery}.event = any($7))
  and ($8::jsonb is null or $8 = (
    select jsonb_build_object('outcome', a.outcome, 'responseStatus', a.response_status)
    from delivery_attempts a where a.delivery_id = ${delivery}.id
    order by a.started_at desc, a.id desc limit 1
  ))`;

/**
 * Whether a selected delivery `m` can be queued.
 *
 * One that waits for a retry can. Of a finished one the event is kept and has no unfinished delivery to subscription $1; if only
 * dead letters are selected, it has not been delivered since.
 */
const IS_TO_BE_QUEUED = `(
  m.state = 'retry_scheduled'
  or not exists (select 1 from deliveries u where u.event_id = m.event_id and u.subscription_id = $1)
  and exists (select 1 from events e where e.id = m.event_id)
  and (m.state = 'delivered' or 'delivered' = any($2::text[]) or not exists (
    select 1 from finished_deliveries g
    where g.event_id = m.event_id and g.subscription_id = $1 and g.state = 'delivered' and g.id > m.id
  ))
)`;

/** What a replay would queue of the oldest $9 deliveries of its span. One more is read, to detect a longer span. */
const QUEUED = `
  looked_at as materialized (${oldestInStates({ from: 'f.id >= $3', limit: '($9::integer + 1)' })}),
  counted as materialized (select * from looked_at order by id limit $9::integer),
  queued as materialized (
    select distinct on (m.event_id) m.resource_type, m.resource_id, m.created_at
    from counted m where ${isSelected('m')} and ${IS_TO_BE_QUEUED}
    order by m.event_id, m.id desc
  )`;

/** True if the span has more than was counted. */
const IS_AT_LEAST = '(select count(*) from looked_at) > $9::integer';

/** The values $1 to $8 of a selection. */
function selectionValues(
  subscriptionId: string,
  { states, from, to, event, cause }: BulkReplaySelection,
): readonly unknown[] {
  const { lowest, beyond } = idsCreatedWithin('dlv', { from, to });
  return [
    subscriptionId,
    states,
    lowest,
    beyond,
    from,
    to,
    event === undefined ? null : eventsNamedBy(event),
    cause === null || cause === undefined ? null : JSON.stringify(cause),
  ];
}

/**
 * Counts what a bulk replay would queue now: one delivery for each event.
 *
 * It counts the oldest `maxCounted` deliveries of the span. The count has a slot among the company's
 * transactions, so that many counts do not use up the connections of others. Fails with `not_found` for a subscription that the
 * company does not have.
 */
export async function previewBulkReplay(
  database: Pick<Database, 'transaction'>,
  request: DeliveriesToReplay & Pick<Caller, 'timeoutMs'>,
  maxCounted = MAX_DELIVERIES_COUNTED,
): Promise<BulkReplayPreview> {
  const { companyId, subscriptionId, selection, perMinute, timeoutMs } = request;
  const limits = { companyId, timeoutMs: timeoutMs() };
  const [found] = await database.transaction(async (tx) => {
    await getSubscription(tx, request);
    return tx.query<CountedReplay>(
      `with ${QUEUED}, resources as materialized (
         select resource_type as type, resource_id as id, count(*)::integer as deliveries
         from queued group by resource_type, resource_id
       )
       select (select count(*)::integer from queued) as deliveries, ${IS_AT_LEAST} as "atLeast",
         (select min(created_at) from queued) as oldest, (select max(created_at) from queued) as newest,
         (select count(*)::integer from resources) as "resourceCount",
         coalesce(
           (select json_agg(r) from (
             select type, id, (
               select j.work_order_no from jobs j join subscriptions s on s.id = $1
               where j.id = r.id and s.company_id in (j.selling_company_id, j.installer_company_id)
             ) as "workOrderNo", deliveries
             from resources r order by deliveries desc, id limit $10
           ) r), '[]'
         ) as resources`,
      [...selectionValues(subscriptionId, selection), maxCounted, PREVIEWED_RESOURCES],
    );
  }, limits);
  invariant(found, 'a count has a row');
  return {
    ...found,
    oldest: formatOptionalDateTime(found.oldest),
    newest: formatOptionalDateTime(found.newest),
    estimatedMinutes: Math.ceil(found.deliveries / perMinute),
  };
}

type CountedReplay = Omit<BulkReplayPreview, 'oldest' | 'newest' | 'estimatedMinutes'> &
  Readonly<Record<'oldest' | 'newest', Date | null>>;

/**
 * Starts a bulk replay of a subscription's deliveries; `runBulkReplays` does the work.
 *
 * It selects all matching deliveries created before it, and counts the oldest `maxCounted` of them. Fails
 * with `not_found` for a subscription that the company does not have, and with `replay_in_progress`, without a count, while another
 * one of the subscription runs.
 */
export function createBulkReplay(
  deps: Pick<ChangeDeps, 'database' | 'logger'>,
  request: Caller & DeliveriesToReplay,
  maxCounted = MAX_DELIVERIES_COUNTED,
): Promise<BulkReplayRow> {
  const { companyId, subscriptionId, selection, perMinute } = request;
  return recordChange(deps, request, async (tx) => {
    await getSubscription(tx, request);
    await refuseSecond(tx, 'replay', [subscriptionId]);
    const [counted] = await tx.query<{ total: number; atLeast: boolean }>(
      `with ${QUEUED} select (select count(*)::integer from queued) as total, ${IS_AT_LEAST} as "atLeast"`,
      [...selectionValues(subscriptionId, selection), maxCounted],
    );
    invariant(counted, 'a count has a row');
    // Locked only now, so that a pause or deletion of the subscription does not wait for the count.
    await lockSubscription(tx, request);
    const { event = null, cause = null } = selection;
    const states = [...new Set(selection.states)];
    const [row] = await insertBulkReplays(tx, [
      {
        subscriptionId,
        companyId,
        kind: 'replay',
        ...selection,
        states,
        event,
        cause,
        perMinute,
        ...counted,
      },
    ]);
    if (row === undefined) await refuseSecond(tx, 'replay', [subscriptionId]);
    invariant(row, 'the conflicting bulk replay still runs, since the subscription is locked');
    const { id, from, to, total } = row;
    return {
      result: row,
      recorded: {
        ...{ subscriptionId, action: 'bulk_replay.started', subject: { type: 'bulk_replay', id } },
        details: {
          ...{ subscriptionId, states: row.states, event, from, to, perMinute, total },
          cause: cause && [cause.outcome, cause.responseStatus ?? ''].join(' ').trim(),
        },
        ...{ line: 'bulk_replay.created', logged: { replayId: id, total } },
      },
    };
  });
}

/**
 * Queues the next deliveries of a bulk replay.
 *
 * Of several deliveries of one event in the span, the newest is replayed. The event is queued once wherever the steps begin and
 * end. A delivery that waits for a retry is made due.
 */
export async function stepReplay(tx: Transaction, due: DueBulkReplay): Promise<Step> {
  const max = stepSizes(due);
  const to = due.to < due.createdAt ? due.to : due.createdAt;
  const { from, cause } = due;
  const selection = { states: due.states ?? [], from, to, event: due.event ?? undefined, cause };
  const [counts] = await tx.query<StepCounts>(
    `with scanned as materialized (
       select * from (${oldestInStates({ from: 'f.id >= $3 and f.id > $9', limit: '$10::integer' })}) m
     ), to_queue as materialized (
       select m.* from scanned m
       where ${isSelected('m')} and ${IS_TO_BE_QUEUED} and not exists (
         select 1 from finished_deliveries f
         where f.event_id = m.event_id and f.subscription_id = $1 and f.id > m.id and f.state = any($2) and f.id < $4
           and ${isSelected('f')}
       )
       order by m.id limit $11
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
           id: deliveryIds('$12', 'row_number() over (order by m.id)'),
           subscriptionId: '$1',
           companyId: '$13',
           eventId: 'm.event_id',
           event: 'm.event',
           resourceType: 'm.resource_type',
           resourceId: 'm.resource_id',
           replayOf: 'm.id',
           bulkReplayId: '$14',
           number: 'm.number',
           ordered: orderedOf('$1'),
         },
         `to_queue m where m.state <> 'retry_scheduled'`,
       )}
     )
     ${COUNTS}`,
    [
      ...selectionValues(due.subscriptionId, selection),
      due.afterId,
      max.scanned,
      max.queued,
      newId('dlv'),
      due.companyId,
      due.id,
    ],
  );
  return stepOf(counts, due, true);
}
