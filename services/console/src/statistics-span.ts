import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  STATISTICS_DEFAULT_HOURS,
  STATISTICS_MAX_DAYS,
  type statisticsQuery,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { invalidArgument } from '@partner/kernel/validation';
import type { z } from 'zod';

const HOUR_MS = 3_600_000;

/**
 * Returns the time span of a statistics query; by default the 24 hours up to now. Throws `invalid_argument` for a span
 * that is empty or longer than {@link STATISTICS_MAX_DAYS}; the error names the end that the query set.
 */
export function statisticsSpan(query: z.output<typeof statisticsQuery>, now: Date) {
  const to = query.to === undefined ? now : new Date(query.to);
  const from =
    query.from === undefined
      ? new Date(to.getTime() - STATISTICS_DEFAULT_HOURS * HOUR_MS)
      : new Date(query.from);
  const hours = (to.getTime() - from.getTime()) / HOUR_MS;
  const isTooLong = hours > STATISTICS_MAX_DAYS * 24;
  if (hours <= 0 || isTooLong) {
    const distance = isTooLong ? `at most ${STATISTICS_MAX_DAYS} days ` : '';
    throw invalidArgument([
      query.to === undefined
        ? { path: 'from', message: `must be ${distance}before now` }
        : { path: 'to', message: `must be ${distance}after from` },
    ]);
  }
  return { from: timestampFromDate(from), to: timestampFromDate(to) };
}
