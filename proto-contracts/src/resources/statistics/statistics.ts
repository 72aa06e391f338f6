import { WAITING_COUNTED } from '../../api/limits.js';
import { z } from 'zod';
import { dateTimeIn, dateTimeOut } from '../../values/date-time.js';
import { SUBSCRIPTION_EXAMPLE } from '../subscription/subscription.js';

export const STATISTICS_MAX_DAYS = 31;

export const STATISTICS_DEFAULT_HOURS = 24;

/** Widths of buckets in minutes, for spans up to a day, up to 7 days, and longer. */
export const BUCKET_MINUTES = [5, 60, 360] as const;

/** Widths of the steps of a trend in minutes, for spans up to 4 hours, a day, 7 days, and longer: at most 63 steps. */
export const TREND_MINUTES = [5, 30, 180, 720] as const;

const milliseconds = z.int().nullable();

const deliveryCounts = z
  .object({
    total: z.int().meta({
      description:
        'Those with a finished attempt; tests are not counted. Those neither delivered nor dead-lettered wait for a retry.',
    }),
    delivered: z.int().meta({ description: 'Those delivered so far.' }),
    deliveredFirst: z.int().nullable().meta({
      description: 'Those delivered by their first attempt; null: not known for all of the span.',
    }),
    deadLettered: z.int().meta({ description: 'Those that are dead-lettered now.' }),
  })
  .meta({ id: 'WebhookDeliveryCounts', description: 'Deliveries that were created in this time, by state.' });

export const attemptCounts = z
  .object({
    attempts: z.int().meta({ description: 'All finished attempts; tests are not counted.' }),
    delivered: z.int().meta({ description: 'Those with a 2xx response.' }),
    failed: z.int().meta({ description: 'All others.' }),
    deadLettered: z.int().meta({
      description:
        'Deliveries that one of them dead-lettered. A delivery that was delivered later stays counted.',
    }),
    p50Ms: milliseconds.meta({
      description: 'Median duration, interpolated; null without attempts.',
    }),
    p95Ms: milliseconds.meta({
      description: '95th percentile of the durations, interpolated; null without attempts.',
    }),
    deliveries: deliveryCounts,
  })
  .meta({ id: 'WebhookAttemptCounts', description: 'Attempts by outcome, and their duration.' });

export type ShownAttemptCounts = z.infer<typeof attemptCounts>;

const buckets = z
  .array(
    z
      .object({ startsAt: dateTimeOut, ...attemptCounts.shape })
      .meta({ id: 'WebhookStatisticsBucket', description: 'The attempts that began within one bucket.' }),
  )
  .meta({ description: 'Those with attempts, oldest first.' });

const bucketMinutes = z.literal(BUCKET_MINUTES).meta({
  description: `The width of a bucket: 5 minutes for a span of up to a day, 60 for up to 7 days, 360 for a longer one.`,
});

/** Visible to the owners of the company. To every other company it is 404. */
export const webhookStatistics = z
  .object({
    webhookId: z.string().meta({ description: 'The id of the subscription.' }),
    bucketMinutes,
    buckets,
    totals: attemptCounts.meta({ description: 'All buckets together.' }),
  })
  .meta({ id: 'WebhookStatistics', description: 'The attempts to one subscription.' });

export type ShownStatistics = z.infer<typeof webhookStatistics>;

const waiting = z.int().min(0).max(WAITING_COUNTED);

export const companyStatistics = z
  .object({
    webhooks: z
      .array(
        z
          .object({
            webhookId: z.string().meta({ description: 'The id of the subscription.' }),
            totals: attemptCounts,
            trend: z
              .array(
                z
                  .object({
                    startsAt: dateTimeOut,
                    delivered: attemptCounts.shape.delivered,
                    failed: attemptCounts.shape.failed,
                    deliveries: deliveryCounts,
                  })
                  .meta({ id: 'WebhookTrendStep', description: 'The attempts that began within one step.' }),
              )
              .meta({ description: 'Steps with attempts, oldest first.' }),
            retrying: waiting.meta({
              description: `Deliveries that wait for another attempt now, whatever the span; counted up to ${WAITING_COUNTED}.`,
            }),
            held: waiting.meta({
              description: `Deliveries that are held now because the subscription is paused; counted up to ${WAITING_COUNTED}.`,
            }),
          })
          .meta({ id: 'WebhookTotals', description: 'The attempts to one subscription.' }),
      )
      .meta({ description: 'Every subscription of your company, oldest first.' }),
    trendMinutes: z.literal(TREND_MINUTES).meta({
      description:
        'The width of a step: 5 minutes for a span of up to 4 hours, 30 for up to a day, 180 for up to 7 days, 720 for a longer one.',
    }),
    bucketMinutes,
    buckets,
    totals: attemptCounts.meta({ description: 'All subscriptions together.' }),
  })
  .meta({
    id: 'WebhookCompanyStatistics',
    description: 'The attempts to all subscriptions of your company.',
  });

export type ShownCompanyStatistics = z.infer<typeof companyStatistics>;

export const statisticsQuery = z.object({
  from: dateTimeIn.optional().meta({
    description: `From the bucket that contains this time; by default ${STATISTICS_DEFAULT_HOURS} hours before \`to\`.`,
  }),
  to: dateTimeIn.optional().meta({
    description: `Up to the end of the bucket that contains this time; after \`from\`, by at most ${STATISTICS_MAX_DAYS} days. By default now.`,
  }),
});

export const COUNTS_EXAMPLE = {
  attempts: 412,
  delivered: 409,
  failed: 3,
  deadLettered: 0,
  p50Ms: 84,
  p95Ms: 231,
  deliveries: { total: 410, delivered: 409, deliveredFirst: 407, deadLettered: 0 },
} as const satisfies z.infer<typeof attemptCounts>;

export const BUCKET_EXAMPLE = { startsAt: '2026-09-03T12:30:00.000Z', ...COUNTS_EXAMPLE };

export const WEBHOOK_TOTALS_EXAMPLE = {
  webhookId: SUBSCRIPTION_EXAMPLE.id,
  totals: COUNTS_EXAMPLE,
  trend: [
    {
      startsAt: '2026-09-03T12:30:00.000Z',
      delivered: 409,
      failed: 3,
      deliveries: COUNTS_EXAMPLE.deliveries,
    },
  ],
  retrying: 2,
  held: 0,
};
