import {
  type BULK_REPLAY_KINDS,
  type BULK_REPLAY_STATES,
  type BulkReplay,
  REPLAYED_STATES,
} from '@partner/proto-contracts/resources/bulk-replay/bulk-replay';
import { formatDateTime, formatOptionalDateTime } from '@partner/proto-contracts/values/date-time';

/** A bulk replay or back-fill, as {@link BULK_REPLAY_COLUMNS} selects it. */
export interface BulkReplayRow {
  readonly id: string;
  readonly subscriptionId: string;
  readonly companyId: string;
  readonly kind: (typeof BULK_REPLAY_KINDS)[number];
  /** Null for a back-fill. */
  readonly states: readonly (typeof REPLAYED_STATES)[number][] | null;
  /** The event or group that limits it; null: all. */
  readonly event: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly perMinute: number;
  readonly state: (typeof BULK_REPLAY_STATES)[number];
  readonly total: number;
  /** True: `total` is a lower bound, because counting stopped early. */
  readonly atLeast: boolean;
  readonly queued: number;
  readonly createdAt: Date;
  readonly finishedAt: Date | null;
}

/** Columns of a {@link BulkReplayRow}, from `bulk_replays b`. */
export const BULK_REPLAY_COLUMNS = `
  b.id, b.subscription_id as "subscriptionId", b.company_id as "companyId", b.kind, b.delivery_states as states, b.event,
  b.from_time as "from", b.to_time as "to", b.per_minute as "perMinute", b.state, b.total,
  b.total_is_at_least as "atLeast", b.queued,
  b.created_at as "createdAt", b.finished_at as "finishedAt"`;

/** A bulk replay or back-fill as the public API shows it. */
export function shownBulkReplay(row: BulkReplayRow): BulkReplay {
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    kind: row.kind,
    states: row.states === null ? null : REPLAYED_STATES.filter((state) => row.states?.includes(state)),
    event: row.event,
    from: formatDateTime(row.from),
    to: formatDateTime(row.to),
    perMinute: row.perMinute,
    state: row.state,
    total: row.total,
    atLeast: row.atLeast,
    queued: row.queued,
    createdAt: formatDateTime(row.createdAt),
    finishedAt: formatOptionalDateTime(row.finishedAt),
  };
}
