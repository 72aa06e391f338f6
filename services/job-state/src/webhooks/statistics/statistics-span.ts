import {
  BUCKET_MINUTES,
  STATISTICS_DEFAULT_HOURS,
  STATISTICS_MAX_DAYS,
  type statisticsQuery,
  TREND_MINUTES,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { invariant } from '@partner/kernel/process/invariant';
import { invalidArgument } from '@partner/kernel/process/validation';
import type { z } from 'zod';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Width of a bucket and of a step of a trend, by the maximum days of a span. A step is a whole number of buckets. */
const WIDTHS = [
  { days: 4 / 24, bucketMinutes: BUCKET_MINUTES[0], trendMinutes: TREND_MINUTES[0] },
  { days: 1, bucketMinutes: BUCKET_MINUTES[0], trendMinutes: TREND_MINUTES[1] },
  { days: 7, bucketMinutes: BUCKET_MINUTES[1], trendMinutes: TREND_MINUTES[2] },
  { days: STATISTICS_MAX_DAYS, bucketMinutes: BUCKET_MINUTES[2], trendMinutes: TREND_MINUTES[3] },
] as const;

/** The requested span, at most {@link STATISTICS_MAX_DAYS} long. */
export interface StatisticsSpan {
  readonly from: Date;
  /** Later than `from`. */
  readonly to: Date;
}

export interface BucketedSpan extends StatisticsSpan {
  readonly bucketMinutes: (typeof BUCKET_MINUTES)[number];
  readonly trendMinutes: (typeof TREND_MINUTES)[number];
}

/**
 * Returns the time span of a statistics query; by default the 24 hours up to now. Fails with `invalid_argument` for a span
 * that is empty or longer than {@link STATISTICS_MAX_DAYS}; the error names the end that the query set.
 */
export function statisticsSpan(query: z.output<typeof statisticsQuery>, now: Date): StatisticsSpan {
  const to = query.to === undefined ? now : new Date(query.to);
  const from =
    query.from === undefined
      ? new Date(to.getTime() - STATISTICS_DEFAULT_HOURS * HOUR_MS)
      : new Date(query.from);
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  const isTooLong = days > STATISTICS_MAX_DAYS;
  if (days <= 0 || isTooLong) {
    const distance = isTooLong ? `at most ${STATISTICS_MAX_DAYS} days ` : '';
    throw invalidArgument([
      query.to === undefined
        ? { path: 'from', message: `must be ${distance}before now` }
        : { path: 'to', message: `must be ${distance}after from` },
    ]);
  }
  return { from, to };
}

/**
 * Divides a span into buckets, wider for longer spans, never more than 290.
 *
 * The first bucket contains `from`, the last one contains the last instant before `to`.
 */
export function bucketsOf({ from, to }: StatisticsSpan): BucketedSpan {
  const days = (to.getTime() - from.getTime()) / DAY_MS;
  const width = WIDTHS.find((each) => days <= each.days);
  invariant(width, 'no span is longer');
  const { bucketMinutes, trendMinutes } = width;
  const widthMs = bucketMinutes * MINUTE_MS;
  return {
    from: new Date(Math.floor(from.getTime() / widthMs) * widthMs),
    to: new Date(Math.ceil(to.getTime() / widthMs) * widthMs),
    bucketMinutes,
    trendMinutes,
  };
}
