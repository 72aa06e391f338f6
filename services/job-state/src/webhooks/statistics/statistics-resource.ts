import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import type {
  ShownAttemptCounts,
  ShownStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { percentileMs } from './duration-histogram.js';
import type { AttemptCounts, Statistics } from './read-statistics.js';

/** Counts as the public API shows them. */
export function shownCounts({
  delivered,
  failed,
  deadLettered,
  durations,
}: AttemptCounts): ShownAttemptCounts {
  return {
    attempts: delivered + failed,
    delivered,
    failed,
    deadLettered,
    p50Ms: percentileMs(durations, 0.5) ?? null,
    p95Ms: percentileMs(durations, 0.95) ?? null,
  };
}

/** Statistics as the public API shows them, without their subscription or company. */
export function shownStatistics({
  bucketMinutes,
  buckets,
  totals,
}: Statistics): Omit<ShownStatistics, 'webhookId'> {
  return {
    bucketMinutes,
    buckets: buckets.map((bucket) => ({
      startsAt: formatDateTime(bucket.startsAt),
      ...shownCounts(bucket),
    })),
    totals: shownCounts(totals),
  };
}
