import type { z } from 'zod';
import { defineOperation } from '../../api/operation.js';
import { SUBSCRIPTION_EXAMPLE, SUBSCRIPTION_ID } from '../subscription/subscription.js';
import {
  BUCKET_EXAMPLE,
  COUNTS_EXAMPLE,
  WEBHOOK_TOTALS_EXAMPLE,
  companyStatistics,
  statisticsQuery,
  webhookStatistics,
} from './statistics.js';

const WHAT_COUNTS = `
An attempt counts in the bucket in which it began, once it has ended: the newest buckets can still grow. Each counts once, those
of replays and those that ended late included. Tests are not counted.
Buckets are aligned to UTC. Those that contain \`from\` and \`to\` count in full.`;

export const getWebhookStatisticsOperation = defineOperation({
  id: 'getWebhookStatistics',
  method: 'get',
  path: '/partner-api/webhooks/:id/statistics',
  params: SUBSCRIPTION_ID,
  query: statisticsQuery,
  summary: 'Read the statistics of a subscription',
  description: `Counts the attempts to a subscription over time, with their durations.\n${WHAT_COUNTS}`,
  responses: {
    200: {
      description: 'The statistics.',
      schema: webhookStatistics,
      example: {
        webhookId: SUBSCRIPTION_EXAMPLE.id,
        bucketMinutes: 5,
        buckets: [BUCKET_EXAMPLE],
        totals: COUNTS_EXAMPLE,
      } satisfies z.input<typeof webhookStatistics>,
    },
  },
  errors: ['not_found'],
});

export const getStatisticsOperation = defineOperation({
  id: 'getStatistics',
  method: 'get',
  path: '/partner-api/statistics',
  query: statisticsQuery,
  summary: 'Read the statistics of all subscriptions',
  description: `
Counts the attempts to all subscriptions of your company: over time for all of them together, in total and in fewer steps for
each, with its waiting deliveries. Attempts to deleted subscriptions are not included.
${WHAT_COUNTS}`,
  responses: {
    200: {
      description: 'The statistics.',
      schema: companyStatistics,
      example: {
        webhooks: [WEBHOOK_TOTALS_EXAMPLE],
        trendMinutes: 30,
        bucketMinutes: 5,
        buckets: [BUCKET_EXAMPLE],
        totals: COUNTS_EXAMPLE,
      } satisfies z.input<typeof companyStatistics>,
    },
  },
});
