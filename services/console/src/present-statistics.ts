import type {
  AttemptCounts,
  GetCompanyStatisticsResponse,
  GetSubscriptionStatisticsResponse,
  StatisticsBucket,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import {
  type attemptCounts,
  BUCKET_MINUTES,
  type companyStatistics,
  type webhookStatistics,
} from '@partner/proto-contracts/public-api/delivery-statistics';
import type { z } from 'zod';
import { presentInstant } from './present-instant.js';
import { requiredField } from './required-field.js';

type WebhookStatisticsView = z.input<typeof webhookStatistics>;

/** The statistics of a subscription as its owner sees them. Throws when job-state left out what it always gives. */
export function presentWebhookStatistics(
  webhookId: string,
  message: GetSubscriptionStatisticsResponse,
): WebhookStatisticsView {
  return {
    webhookId,
    bucketMinutes: presentBucketMinutes(message.bucketMinutes),
    buckets: message.buckets.map(presentBucket),
    totals: presentCounts(message.totals),
  };
}

/** The statistics of a company as its owner sees them. Throws when job-state left out what it always gives. */
export function presentCompanyStatistics(
  message: GetCompanyStatisticsResponse,
): z.input<typeof companyStatistics> {
  return {
    webhooks: message.subscriptions.map(({ subscriptionId, totals }) => ({
      webhookId: requiredField(subscriptionId, 'statistics.subscription_id'),
      totals: presentCounts(totals),
    })),
    bucketMinutes: presentBucketMinutes(message.bucketMinutes),
    buckets: message.buckets.map(presentBucket),
    totals: presentCounts(message.totals),
  };
}

function presentBucketMinutes(minutes: number | undefined): WebhookStatisticsView['bucketMinutes'] {
  const known = BUCKET_MINUTES.find((each) => each === minutes);
  return requiredField(known, 'a known statistics.bucket_minutes');
}

function presentBucket({ startsAt, counts }: StatisticsBucket): WebhookStatisticsView['buckets'][number] {
  return { startsAt: presentInstant(startsAt, 'bucket.starts_at'), ...presentCounts(counts) };
}

function presentCounts(message: AttemptCounts | undefined): z.input<typeof attemptCounts> {
  const given = requiredField(message, 'attempt counts');
  const delivered = requiredField(given.delivered, 'counts.delivered');
  const failed = requiredField(given.failed, 'counts.failed');
  return {
    attempts: delivered + failed,
    delivered,
    failed,
    deadLettered: requiredField(given.deadLettered, 'counts.dead_lettered'),
    p50Ms: given.p50Ms ?? null,
    p95Ms: given.p95Ms ?? null,
  };
}
