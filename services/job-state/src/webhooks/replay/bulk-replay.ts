import { notFound } from '@partner/kernel/process/service-error';
import type { Queryable } from '../../database/database.js';
import { type ChangeDeps, recordChange } from '../subscriptions/change-subscription.js';
import {
  type Caller,
  getSubscription,
  type SubscriptionOfCompany,
} from '../subscriptions/get-subscription.js';
import { BULK_REPLAY_COLUMNS, type BulkReplayRow } from './bulk-replay-resource.js';

/** Deliveries or events that are counted before a bulk replay starts; more than these are a lower bound. */
export const MAX_DELIVERIES_COUNTED = 100_000;

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
