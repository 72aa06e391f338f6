import {
  BUCKET_MINUTES,
  STATISTICS_MAX_DAYS,
  TREND_MINUTES,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { invalidArgument } from '@partner/kernel/validation';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Width of a bucket and of a step of a trend, by the maximum days of a span. A step is a whole number of buckets. */
const WIDTHS = [
  { days: 4 / 24, bucketMinutes: BUCKET_MINUTES[0], trendMinutes: TREND_MINUTES[0] },
  { days: 1, bucketMinutes: BUCKET_MINUTES[0], trendMinutes: TREND_MINUTES[1] },
  { days: 7, bucketMinutes: BUCKET_MINUTES[1], trendMinutes: TREND_MINUTES[2] },
  { days: STATISTICS_MAX_DAYS, bucketMinutes: BUCKET_MINUTES[2], trendMinutes: TREND_MINUTES[3] },
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
  readonly trendMinutes: (typeof TREND_MINUTES)[number];
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
  const { bucketMinutes, trendMinutes } = width;
  const widthMs = bucketMinutes * MINUTE_MS;
  return {
    from: new Date(Math.floor(from.getTime() / widthMs) * widthMs),
    to: new Date(Math.ceil(to.getTime() / widthMs) * widthMs),
    bucketMinutes,
    trendMinutes,
  };
}
