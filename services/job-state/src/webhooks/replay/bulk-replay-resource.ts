import {
  type BULK_REPLAY_KINDS,
  type BULK_REPLAY_STATES,
  type BulkReplay,
  REPLAYED_STATES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';
import { column, type RowOf, selectList } from '../../database/columns.js';

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

/** A bulk replay or back-fill as the public API shows it. */
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
