import {
  type BulkReplayPreview,
  PREVIEWED_RESOURCES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { eventsNamedBy } from '@partner/proto-contracts/resources/event-catalogue/catalogue';
import { formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import type { Logger } from '@partner/kernel/telemetry/logger';
import { notFound, ServiceError } from '@partner/kernel/process/service-error';
import type { Actor } from '../../audit/actor.js';
import { recordAudit } from '../../audit/record-audit.js';
import type { Database, Queryable, Transaction, TransactionLimits } from '../../database/database.js';
import {
  getSubscription,
  lockSubscription,
  type OwnersSubscription,
  type SubscriptionOfCompany,
} from '../subscriptions/get-subscription.js';
import { BULK_REPLAY_COLUMNS, type BulkReplayRow } from './bulk-replay-resource.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import { type DeliveryStateName, isDue, isWaiting } from '../deliveries/delivery-columns.js';
import { announceAfterCommit } from '../../changes/announce-change.js';

/** Which deliveries of a subscription to replay. */
export interface BulkReplaySelection {
  /**
   * Of `dead_lettered`, `delivered` and `retry_scheduled`. A dead-lettered one matches only if its event has not been delivered
   * since, one that waits for a retry only until that is due.
   */
  readonly states: readonly DeliveryStateName[];
  readonly from: Date;
  readonly to: Date;
  /** An event or `group.*`; undefined: all. */
  readonly event: string | undefined;
}

/** The selected deliveries of one subscription, and how fast to replay them. */
interface DeliveriesToReplay extends SubscriptionOfCompany {
  readonly selection: BulkReplaySelection;
  readonly perMinute: number;
}

/** Maximum number of deliveries that the operations count. */
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

/** Rows of a count: one more than `maxCounted`, to detect a longer span. */
const INSPECTED = `
  looked_at as materialized (${oldestInStates({ from: 'f.id >= $3', limit: '($8::integer + 1)' })}),
  counted as materialized (select * from looked_at order by id limit $8::integer)`;

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

/** Bounds of a transaction that counts. */
export interface CountLimits extends TransactionLimits {
  /** Maximum number of deliveries of the span, oldest first, that are counted. */
  readonly maxCounted: number;
}

/**
 * Counts what a bulk replay would queue now: one delivery for each event.
 *
 * It counts the oldest `maxCounted` deliveries of the span. The count has a slot among the company's
 * transactions, so that many counts do not use up the connections of others. Fails with `not_found` for a subscription that the
 * company does not have.
 */
export function previewBulkReplay(
  database: Pick<Database, 'transaction'>,
  request: DeliveriesToReplay,
  { maxCounted, ...limits }: CountLimits,
): Promise<BulkReplayPreview> {
  const { companyId } = request;
  return database.transaction((tx) => preview(tx, request, maxCounted), { ...limits, companyId });
}

type Counted = Omit<BulkReplayPreview, 'oldest' | 'newest' | 'estimatedMinutes'> & {
  readonly oldest: Date | null;
  readonly newest: Date | null;
};

async function preview(
  tx: Transaction,
  request: DeliveriesToReplay,
  maxCounted: number,
): Promise<BulkReplayPreview> {
  await getSubscription(tx, request);
  const [found] = await tx.query<Counted>(
    `with ${INSPECTED}, queued as materialized (
       select distinct on (m.event_id) m.resource_type, m.resource_id, m.created_at
       from counted m
       where ${IS_SELECTED} and ${IS_TO_BE_QUEUED}
       order by m.event_id, m.id desc
     ), resources as materialized (
       select resource_type as type, resource_id as id, count(*)::integer as deliveries
       from queued group by resource_type, resource_id
     )
     select (select count(*)::integer from queued) as deliveries, ${IS_AT_LEAST} as "atLeast", (select min(created_at) from queued) as oldest,
       (select max(created_at) from queued) as newest, (select count(*)::integer from resources) as "resourceCount",
       coalesce(
         (select json_agg(r) from (select * from resources order by deliveries desc, id limit $9) r), '[]'
       ) as resources`,
    [...selectionValues(request.subscriptionId, request.selection), maxCounted, PREVIEWED_RESOURCES],
  );
  invariant(found, 'a count has a row');
  return {
    ...found,
    oldest: formatOptionalDateTime(found.oldest),
    newest: formatOptionalDateTime(found.newest),
    estimatedMinutes: Math.ceil(found.deliveries / request.perMinute),
  };
}

/**
 * Starts a bulk replay of a subscription's deliveries; `runBulkReplays` does the work.
 *
 * It selects all matching deliveries created before it, and counts the oldest `maxCounted` of them. Fails
 * with `not_found` for a subscription that the company does not have, and with `replay_in_progress`, without a count, while another
 * one of the subscription runs.
 */
export async function createBulkReplay(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: OwnersSubscription & DeliveriesToReplay,
  { maxCounted, ...limits }: CountLimits,
): Promise<BulkReplayRow> {
  const { companyId, subscriptionId, actor, selection, perMinute } = request;
  const replay = await deps.database.transaction(
    async (tx) => {
      await getSubscription(tx, request);
      await refuseSecond(tx, 'replay', [subscriptionId]);
      const [counted] = await tx.query<{ total: number; atLeast: boolean }>(
        `with ${INSPECTED}
         select count(distinct m.event_id)::integer as total, ${IS_AT_LEAST} as "atLeast"
         from counted m where ${IS_SELECTED} and ${IS_TO_BE_QUEUED}`,
        [...selectionValues(subscriptionId, selection), maxCounted],
      );
      invariant(counted, 'a count has a row');
      // Locked only now, so that a pause or deletion of the subscription does not wait for the count.
      await lockSubscription(tx, request);
      const [row] = await tx.query<BulkReplayRow>(
        `with b as (
           insert into bulk_replays
             (id, subscription_id, company_id, kind, delivery_states, event, from_time, to_time, per_minute, total,
              total_is_at_least)
           values ($1, $2, $3, 'replay', $4, $5, $6, $7, $8, $9, $10)
           on conflict (subscription_id, kind) where state = 'running' do nothing
           returning *
         )
         select ${BULK_REPLAY_COLUMNS} from b`,
        [
          newId('rpl'),
          subscriptionId,
          companyId,
          [...new Set(selection.states)],
          selection.event ?? null,
          selection.from,
          selection.to,
          perMinute,
          counted.total,
          counted.atLeast,
        ],
      );
      if (row === undefined) await refuseSecond(tx, 'replay', [subscriptionId]);
      invariant(row, 'the conflicting bulk replay still runs, since the subscription is locked');
      const { states, event, from, to, total } = row;
      await recordAudit(tx, {
        companyId,
        actor,
        action: 'bulk_replay.started',
        subject: { type: 'bulk_replay', id: row.id },
        details: { subscriptionId, states, event, from, to, perMinute, total },
      });
      announceAfterCommit(tx, companyId, [subscriptionId]);
      return row;
    },
    { ...limits, companyId },
  );
  const { id: replayId, total } = replay;
  const { membershipId } = actor;
  deps.logger.info({ replayId, subscriptionId, companyId, membershipId, total }, 'bulk_replay.created');
  return replay;
}

/** Fails with `replay_in_progress` if a bulk replay of this kind runs for one of the subscriptions. */
export async function refuseSecond(
  tx: Transaction,
  kind: BulkReplayRow['kind'],
  subscriptionIds: readonly string[],
): Promise<void> {
  const [running] = await tx.query<{ id: string; subscriptionId: string }>(
    `select id, subscription_id as "subscriptionId" from bulk_replays
     where subscription_id = any($1::text[]) and kind = $2 and state = 'running'`,
    [subscriptionIds, kind],
  );
  if (running === undefined) return;
  throw new ServiceError(
    'replay_in_progress',
    `${running.id} of the subscription ${running.subscriptionId} is still running; wait for its end or cancel it`,
  );
}

export interface BulkReplayQuery extends SubscriptionOfCompany {
  /** Only those older than this one; absent: from the newest. */
  readonly beforeReplayId: string | undefined;
  /** At least 1. */
  readonly limit: number;
}

/**
 * Lists a subscription's bulk replays and back-fills, newest first.
 *
 * Fails with `not_found` for a subscription that the company does not have.
 */
export async function listBulkReplays(
  database: Queryable,
  query: BulkReplayQuery,
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

/** One bulk replay of one company. */
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
export async function cancelBulkReplay(
  deps: { readonly database: Pick<Database, 'transaction'>; readonly logger: Pick<Logger, 'info'> },
  request: BulkReplayOfCompany & { readonly actor: Actor },
  limits: TransactionLimits,
): Promise<BulkReplayRow> {
  const { companyId, replayId, actor } = request;
  const { replay, isCancelled } = await deps.database.transaction(
    async (tx) => {
      const cancelled = await tx.query(
        `update bulk_replays b set state = 'cancelled', finished_at = now()
         where ${IS_REPLAY_OF_COMPANY} and b.state = 'running'
         returning b.id`,
        [replayId, companyId, request.kind ?? null],
      );
      const after = await getBulkReplay(tx, request);
      if (cancelled.length > 0) {
        const { subscriptionId, kind, queued } = after;
        await recordAudit(tx, {
          companyId,
          actor,
          action: 'bulk_replay.cancelled',
          subject: { type: 'bulk_replay', id: replayId },
          details: { subscriptionId, kind, queued },
        });
        announceAfterCommit(tx, companyId, [subscriptionId]);
      }
      return { replay: after, isCancelled: cancelled.length > 0 };
    },
    { ...limits, companyId },
  );
  if (isCancelled) {
    const { subscriptionId, queued } = replay;
    const { membershipId } = actor;
    deps.logger.info({ replayId, subscriptionId, companyId, membershipId, queued }, 'bulk_replay.cancelled');
  }
  return replay;
}
