import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type {
  AttemptCountsSchema,
  StatisticsBucketSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { percentileMs } from './duration-histogram.js';
import type { AttemptCounts, CountedBucket } from './read-statistics.js';

/** Counts as the service tells them. */
export function attemptCountsMessage(counts: AttemptCounts): MessageInitShape<typeof AttemptCountsSchema> {
  const { delivered, failed, deadLettered, durations } = counts;
  const [p50Ms, p95Ms] = [percentileMs(durations, 0.5), percentileMs(durations, 0.95)];
  return {
    delivered,
    failed,
    deadLettered,
    ...(p50Ms !== undefined && { p50Ms }),
    ...(p95Ms !== undefined && { p95Ms }),
  };
}

/** A bucket as the service tells it. */
export function statisticsBucketMessage(
  bucket: CountedBucket,
): MessageInitShape<typeof StatisticsBucketSchema> {
  return { startsAt: timestampFromDate(bucket.startsAt), counts: attemptCountsMessage(bucket) };
}
