import {
  type BulkReplayPreview,
  PREVIEWED_RESOURCES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventsNamedBy } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { invariant } from '@partner/kernel/process/invariant';
import { notFound } from '@partner/kernel/process/service-error';
import { idsCreatedWithin } from '../../database/created-within.js';
import type { Database, Queryable } from '../../database/database.js';
import { isDue, isWaiting } from '../deliveries/delivery-columns.js';
import { type ChangeDeps, recordChange } from '../subscriptions/change-subscription.js';
import {
  type Caller,
  getSubscription,
  lockSubscription,
  type SubscriptionOfCompany,
} from '../subscriptions/get-subscription.js';
import {
  BULK_REPLAY_COLUMNS,
  type BulkReplayRow,
  insertBulkReplays,
  refuseSecond,
} from './bulk-replay-resource.js';

export interface BulkReplaySelection {
  /**
   * Of `dead_lettered`, `delivered` and `retry_scheduled`. A dead-lettered one matches only if its event has not been delivered
   * since, one that waits for a retry only until that is due.
   */
  readonly states: NonNullable<BulkReplayRow['states']>;
  readonly from: Date;
  readonly to: Date;
  /** An event or `group.*`; undefined: all. */
  readonly event: string | undefined;
}

interface DeliveriesToReplay extends SubscriptionOfCompany {
  readonly selection: BulkReplaySelection;
  readonly perMinute: number;
}

export const MAX_DELIVERIES_COUNTED = 100_000;

/**
 * The oldest deliveries of subscription $1 in one of the states $2, with `from` true for the id and before $4.
 *
 * It returns at most `limit` rows. Of finished deliveries it reads at most that many per state, through the index that has the
 * state, however many others there are.
 */
export function oldestInStates({ from, limit }: { readonly from: string; readonly limit: string }): string {
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
 * Whether a selection matches the delivery `m`.
 *
 * It matches if `m` was created from $5 on and before $6, is of one of the events $7 (null: any), and is not a test.
 */
export const IS_SELECTED = `
  m.created_at >= $5 and m.created_at < $6 and ($7::text[] is null or m.event = any($7)) and not m.is_test`;

/**
 * Whether a selected delivery `m` can be queued.
 *
 * One that waits for a retry can. Of a finished one the event is kept and has no unfinished delivery to subscription $1; if only
 * dead letters are selected, it has not been delivered since.
 */
export const IS_TO_BE_QUEUED = `(
  m.state = 'retry_scheduled'
  or not exists (select 1 from deliveries u where u.event_id = m.event_id and u.subscription_id = $1)
  and exists (select 1 from events e where e.id = m.event_id)
  and (m.state = 'delivered' or 'delivered' = any($2::text[]) or not exists (
    select 1 from finished_deliveries g
    where g.event_id = m.event_id and g.subscription_id = $1 and g.state = 'delivered' and g.id > m.id
  ))
)`;

/** What a replay would queue of the oldest $8 deliveries of its span. One more is read, to detect a longer span. */
const QUEUED = `
  looked_at as materialized (${oldestInStates({ from: 'f.id >= $3', limit: '($8::integer + 1)' })}),
  counted as materialized (select * from looked_at order by id limit $8::integer),
  queued as materialized (
    select distinct on (m.event_id) m.resource_type, m.resource_id, m.created_at
    from counted m where ${IS_SELECTED} and ${IS_TO_BE_QUEUED}
    order by m.event_id, m.id desc
  )`;

/** True if the span has more than was counted. */
const IS_AT_LEAST = '(select count(*) from looked_at) > $8::integer';

/** The values $1 to $7 of a selection. */
export function selectionValues(
  subscriptionId: string,
  { states, from, to, event }: BulkReplaySelection,
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
           (select json_agg(r) from (select * from resources order by deliveries desc, id limit $9) r), '[]'
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
    const { event = null } = selection;
    const states = [...new Set(selection.states)];
    const [row] = await insertBulkReplays(tx, [
      { subscriptionId, companyId, kind: 'replay', ...selection, states, event, perMinute, ...counted },
    ]);
    if (row === undefined) await refuseSecond(tx, 'replay', [subscriptionId]);
    invariant(row, 'the conflicting bulk replay still runs, since the subscription is locked');
    const { id, from, to, total } = row;
    return {
      result: row,
      recorded: {
        ...{ subscriptionId, action: 'bulk_replay.started', subject: { type: 'bulk_replay', id } },
        details: { subscriptionId, states: row.states, event, from, to, perMinute, total },
        ...{ line: 'bulk_replay.created', logged: { replayId: id, total } },
      },
    };
  });
}

/**
 * Lists a subscription's bulk replays and back-fills, newest first.
 *
 * Fails with `not_found` for a subscription that the company does not have.
 */
export async function listBulkReplays(
  database: Queryable,
  query: SubscriptionOfCompany & { readonly beforeReplayId: string | undefined; readonly limit: number },
): Promise<{ readonly replays: readonly BulkReplayRow[]; readonly hasMore: boolean }> {
  await getSubscription(database, query);
  const rows = await database.query<BulkReplayRow>(
    `select ${BULK_REPLAY_COLUMNS} from bulk_replays b
     where b.subscription_id = $1 and ($2::text is null or b.id < $2)
     order by b.id desc
     limit $3`,
    [query.subscriptionId, query.beforeReplayId ?? null, query.limit + 1],
  );
  return { replays: rows.slice(0, query.limit), hasMore: rows.length > query.limit };
}

export interface BulkReplayOfCompany {
  readonly companyId: string;
  readonly replayId: string;
  /** Only one of this kind; absent: of any. */
  readonly kind?: BulkReplayRow['kind'];
}

/** Whether `b` is the bulk replay $1 of the company $2, and of the kind $3 unless that is null. */
const IS_REPLAY_OF_COMPANY = 'b.id = $1 and b.company_id = $2 and ($3::text is null or b.kind = $3)';

/** Reads one bulk replay or back-fill. Another company's is `not_found`, like one that does not exist. */
export async function getBulkReplay(
  database: Queryable,
  { companyId, replayId, kind }: BulkReplayOfCompany,
): Promise<BulkReplayRow> {
  const [row] = await database.query<BulkReplayRow>(
    `select ${BULK_REPLAY_COLUMNS} from bulk_replays b where ${IS_REPLAY_OF_COMPANY}`,
    [replayId, companyId, kind ?? null],
  );
  if (row === undefined) throw notFound('bulk replay');
  return row;
}

/**
 * Stops a bulk replay or back-fill from queueing more.
 *
 * Deliveries that it has queued continue. A finished one stays unchanged. Fails with `not_found` for one that the company does
 * not have.
 *
 * Lock: the bulk replay; it waits for a step in flight.
 */
export function cancelBulkReplay(
  deps: Pick<ChangeDeps, 'database' | 'logger'>,
  request: BulkReplayOfCompany & Caller,
): Promise<BulkReplayRow> {
  const { companyId, replayId } = request;
  return recordChange(deps, request, async (tx) => {
    const cancelled = await tx.query(
      `update bulk_replays b set state = 'cancelled', finished_at = now()
       where ${IS_REPLAY_OF_COMPANY} and b.state = 'running'
       returning b.id`,
      [replayId, companyId, request.kind ?? null],
    );
    const result = await getBulkReplay(tx, request);
    if (cancelled.length === 0) return { result };
    const { subscriptionId, kind, queued } = result;
    return {
      result,
      recorded: {
        ...{
          subscriptionId,
          action: 'bulk_replay.cancelled',
          subject: { type: 'bulk_replay', id: replayId },
        },
        details: { subscriptionId, kind, queued },
        ...{ line: 'bulk_replay.cancelled', logged: { replayId, queued } },
      },
    };
  });
}
