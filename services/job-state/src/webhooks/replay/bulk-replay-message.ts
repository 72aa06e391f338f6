import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  type BulkReplay,
  BulkReplayKind,
  BulkReplaySchema,
  BulkReplayState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  BULK_REPLAY_KINDS,
  BULK_REPLAY_STATES,
  REPLAYED_STATES,
} from '@partner/proto-contracts/public-api/bulk-replay';
import { deliveryStateMessage } from '../schedule/delivery-message.js';

/** A bulk replay or back-fill, as {@link BULK_REPLAY_COLUMNS} select it. */
export interface BulkReplayRow {
  readonly id: string;
  readonly subscriptionId: string;
  readonly companyId: string;
  readonly kind: (typeof BULK_REPLAY_KINDS)[number];
  /** Null for a back-fill. */
  readonly states: readonly (typeof REPLAYED_STATES)[number][] | null;
  /** The event or group that it is limited to; null: all. */
  readonly event: string | null;
  readonly from: Date;
  readonly to: Date;
  readonly perMinute: number;
  readonly state: (typeof BULK_REPLAY_STATES)[number];
  readonly total: number;
  /** True: `total` is a lower bound; not all were counted. */
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

const KINDS = {
  replay: BulkReplayKind.REPLAY,
  backfill: BulkReplayKind.BACKFILL,
} as const satisfies Record<BulkReplayRow['kind'], BulkReplayKind>;

const STATES = {
  running: BulkReplayState.RUNNING,
  done: BulkReplayState.DONE,
  cancelled: BulkReplayState.CANCELLED,
} as const satisfies Record<BulkReplayRow['state'], BulkReplayState>;

/** A bulk replay as the console gets it. */
export function bulkReplayMessage(row: BulkReplayRow): BulkReplay {
  return create(BulkReplaySchema, {
    id: row.id,
    subscriptionId: row.subscriptionId,
    kind: KINDS[row.kind],
    selection: {
      states: (row.states ?? []).map(deliveryStateMessage),
      from: timestampFromDate(row.from),
      to: timestampFromDate(row.to),
      event: row.event ?? undefined,
    },
    perMinute: row.perMinute,
    state: STATES[row.state],
    total: row.total,
    atLeast: row.atLeast,
    queued: row.queued,
    createdAt: timestampFromDate(row.createdAt),
    finishedAt: row.finishedAt === null ? undefined : timestampFromDate(row.finishedAt),
  });
}
