import {
  companyStatistics,
  webhookStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import type { z } from 'zod';
import { useApiQuery } from './use-api-query.js';

/** Outcomes of the attempts to all subscriptions. */
export type CompanyStatistics = z.output<typeof companyStatistics>;

/** The attempts to one subscription, and its waiting deliveries. */
export type WebhookTotals = CompanyStatistics['webhooks'][number];

/** Counts and durations of attempts. */
export type AttemptCounts = CompanyStatistics['totals'];

/** Counts and durations of the attempts that began within one bucket. */
export type StatisticsBucket = CompanyStatistics['buckets'][number];

/** Time span of a query; absent: the last 24 hours. */
export interface StatisticsSpan {
  readonly from?: string;
  readonly to?: string;
}

/** The statistics of all subscriptions of the company. */
export function useCompanyStatistics(span: StatisticsSpan = {}) {
  return useApiQuery({
    key: ['statistics'],
    schema: companyStatistics,
    path: '/statistics',
    query: { ...span },
    keepsPrevious: true,
    isSum: true,
  });
}

/** The statistics of one subscription. */
export function useWebhookStatistics(id: string, span: StatisticsSpan = {}) {
  return useApiQuery({
    key: ['statistics', id],
    schema: webhookStatistics,
    path: `/webhooks/${encodeURIComponent(id)}/statistics`,
    query: { ...span },
    webhookId: id,
    keepsPrevious: true,
    isSum: true,
  });
}
