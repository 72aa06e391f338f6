import { invariant } from '@partner/kernel/process/invariant';
import type { CompanyClassName } from '@partner/proto-contracts/values/company-class';
import type { BulkReplayRow } from './bulk-replay-resource.js';

const SECONDS_PER_MINUTE = 60;
/** Deliveries or events that one step scans: at most this many for each that it may queue, and at least this many. */
const SCANNED = { perQueued: 5, atLeast: 500 };
/** Delay between two polls of a back-fill that waits for its last events to settle. */
const SETTLE_PAUSE_SECONDS = 5;

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
export function stepSize(perMinute: number): number {
  return Math.max(1, Math.floor(perMinute / SECONDS_PER_MINUTE));
}

/** Rows that one step scans, however few of them are to be queued. */
export function scanSize(size: number): number {
  return Math.max(SCANNED.atLeast, SCANNED.perQueued * size);
}
