import {
  BUCKET_MINUTES,
  STATISTICS_MAX_DAYS,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { invalidArgument } from '@partner/kernel/validation';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Bucket width in minutes, by the maximum days of a span. */
const WIDTHS = [
  { days: 1, minutes: BUCKET_MINUTES[0] },
  { days: 7, minutes: BUCKET_MINUTES[1] },
  { days: STATISTICS_MAX_DAYS, minutes: BUCKET_MINUTES[2] },
] as const;

/** The requested span. */
export interface StatisticsSpan {
  readonly from: Date;
  /** Later than `from`. */
  readonly to: Date;
}

/** A span in whole buckets. */
export interface BucketedSpan extends StatisticsSpan {
  readonly bucketMinutes: (typeof BUCKET_MINUTES)[number];
}

/**
 * Divides a span into buckets, wider for longer spans, never more than 290.
 *
 * The first bucket contains `from`, the last one contains the last instant before `to`. Fails with `invalid_argument` for a
 * span that is empty or longer than {@link STATISTICS_MAX_DAYS}.
 */
export function bucketsOf({ from, to }: StatisticsSpan): BucketedSpan {
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  const width = WIDTHS.find((each) => days <= each.days);
  if (days <= 0) throw invalidArgument([{ path: 'to', message: 'must be after from' }]);
  if (width === undefined) {
    throw invalidArgument([
      { path: 'to', message: `must be at most ${STATISTICS_MAX_DAYS} days after from` },
    ]);
  }
  const widthMs = width.minutes * MINUTE_MS;
  return {
    from: new Date(Math.floor(from.getTime() / widthMs) * widthMs),
    to: new Date(Math.ceil(to.getTime() / widthMs) * widthMs),
    bucketMinutes: width.minutes,
  };
}
