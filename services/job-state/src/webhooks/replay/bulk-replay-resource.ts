import {
  type BULK_REPLAY_KINDS,
  type BULK_REPLAY_STATES,
  type BulkReplay,
  type FailureCause,
  REPLAYED_STATES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { newId } from '@partner/kernel/process/ids';
import { ServiceError } from '@partner/kernel/process/service-error';
import { column, columnNames, computed, type RowOf, selectList } from '../../database/columns.js';
import type { Transaction } from '../../database/database.js';
import { bulkReplayStarted } from '../subscriptions/start-backfill.js';

/** The columns of a bulk replay or back-fill, in the order of its public fields. */
const BULK_REPLAY = {
  id: column<string>('id', 'text'),
  subscriptionId: column<string>('subscription_id', 'text'),
  companyId: column<string>('company_id', 'text'),
  kind: column<(typeof BULK_REPLAY_KINDS)[number]>('kind', 'text'),
  /** Null for a back-fill and for a replay of events. */
  states: column<readonly (typeof REPLAYED_STATES)[number][] | null>('delivery_states', 'text[]'),
  /** The event or group that limits it; null: all. */
  event: column<string | null>('event', 'text'),
  /** How the last attempt of its deliveries failed; null: any. */
  cause: column<FailureCause | null>('cause', 'jsonb'),
  from: column<Date>('from_time', 'timestamptz'),
  to: column<Date>('to_time', 'timestamptz'),
  perMinute: column<number>('per_minute', 'integer'),
  state: column<(typeof BULK_REPLAY_STATES)[number]>('state', 'text'),
  total: column<number>('total', 'integer'),
  /** True: `total` is a lower bound, because counting stopped early. */
  atLeast: column<boolean>('total_is_at_least', 'boolean'),
  queued: column<number>('queued', 'integer'),
  createdAt: column<Date>('created_at', 'timestamptz'),
  finishedAt: column<Date | null>('finished_at', 'timestamptz'),
} as const;

export type BulkReplayRow = RowOf<typeof BULK_REPLAY>;

/** Columns of a {@link BulkReplayRow}, from `bulk_replays b`. */
export const BULK_REPLAY_COLUMNS = selectList(BULK_REPLAY, 'b');

/** How a replay of events selects them: by number, as decimal texts, or by id. Null for what it does not use. */
const SELECTED_EVENTS = {
  firstSequence: column<string | null>('first_sequence', 'bigint'),
  lastSequence: column<string | null>('last_sequence', 'bigint'),
  eventIds: column<readonly string[] | null>('event_ids', 'text[]'),
} as const;

/** A bulk replay whose step is due, with its subscription `s` and company `c`. */
const DUE = {
  ...BULK_REPLAY,
  ...SELECTED_EVENTS,
  afterId: column<string>('after_id', 'text'),
  isDeleted: computed<boolean>(() => 's.deleted_at is not null'),
  events: computed<readonly string[]>(() => 's.events'),
  schemaVersion: computed<number>(() => 's.schema_version'),
  companyClass: computed<CompanyClassName>(() => 'c.class'),
} as const;

export type DueBulkReplay = RowOf<typeof DUE>;

/** Columns of a {@link DueBulkReplay}, from `bulk_replays b`. */
export const DUE_COLUMNS = selectList(DUE, 'b');

/** The columns that a start sets. */
const STARTED = {
  id: BULK_REPLAY.id,
  subscriptionId: BULK_REPLAY.subscriptionId,
  companyId: BULK_REPLAY.companyId,
  kind: BULK_REPLAY.kind,
  states: BULK_REPLAY.states,
  event: BULK_REPLAY.event,
  cause: BULK_REPLAY.cause,
  from: BULK_REPLAY.from,
  to: BULK_REPLAY.to,
  perMinute: BULK_REPLAY.perMinute,
  total: BULK_REPLAY.total,
  atLeast: BULK_REPLAY.atLeast,
  ...SELECTED_EVENTS,
} as const;

/** Whether a replay runs by `next_step_at`, which only versions read that know its kind and its cause. */
const IS_NEW = `(kind = 'events' or jsonb_typeof(cause) = 'object')`;

type StartedReplay = Omit<RowOf<typeof STARTED>, 'id'>;

/**
 * Starts bulk replays, except those of a subscription that has a running one of the kind.
 *
 * A replay of events, or of one cause, is never due to a version of the service that does not know it.
 */
export function insertBulkReplays(
  tx: Transaction,
  replays: readonly Partial<StartedReplay>[],
): Promise<BulkReplayRow[]> {
  bulkReplayStarted.tell(tx);
  const rows = replays.map((replay) => {
    const values: Readonly<Record<string, unknown>> = { ...replay, id: newId('rpl') };
    return Object.fromEntries(Object.entries(STARTED).map(([field, { name }]) => [name, values[field]]));
  });
  return tx.query<BulkReplayRow>(
    `with b as (
       insert into bulk_replays (${columnNames(STARTED)}, next_run_at, next_step_at)
       select ${columnNames(STARTED)}, case when ${IS_NEW} then 'infinity' else now() end, case when ${IS_NEW} then now() end
       from jsonb_populate_recordset(null::bulk_replays, $1)
       on conflict (subscription_id, kind) where state = 'running' do nothing
       returning *
     )
     select ${BULK_REPLAY_COLUMNS} from b order by b.id`,
    [JSON.stringify(rows)],
  );
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
    `${running.id} of the subscription ${running.subscriptionId} is still running; wait until it has finished, or cancel it`,
  );
}

export function shownBulkReplay({ companyId: _, ...row }: BulkReplayRow): BulkReplay {
  return {
    ...row,
    states: row.states === null ? null : REPLAYED_STATES.filter((state) => row.states?.includes(state)),
    from: formatDateTime(row.from),
    to: formatDateTime(row.to),
    createdAt: formatDateTime(row.createdAt),
    finishedAt: formatOptionalDateTime(row.finishedAt),
  };
}
