import {
  getStatisticsOperation,
  getWebhookStatisticsOperation,
} from '@partner/proto-contracts/resources/statistics/operations';
import type {
  ShownCompanyStatistics,
  ShownStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { getCompanyStatistics, getSubscriptionStatistics } from './read-statistics.js';
import { shownCounts, shownStatistics } from './statistics-resource.js';
import { statisticsSpan } from './statistics-span.js';

/** The operations with which owners read webhook statistics. */
export function statisticsOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
}): readonly Implementation[] {
  return [
    implement(getWebhookStatisticsOperation, async ({ companyId, params, query, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const subscriptionId = pathId('whk', params.id, 'webhook subscription');
      const span = statisticsSpan(query, deps.clock());
      const found = await getSubscriptionStatistics(database, { companyId, subscriptionId }, span);
      const statistics = { webhookId: subscriptionId, ...shownStatistics(found) };
      return { json: JSON.stringify(statistics satisfies ShownStatistics) };
    }),
    implement(getStatisticsOperation, async ({ companyId, query, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const found = await getCompanyStatistics(database, companyId, statisticsSpan(query, deps.clock()));
      const statistics = {
        webhooks: found.subscriptions.map(({ subscriptionId, totals, trend, retrying, held }) => ({
          webhookId: subscriptionId,
          totals: shownCounts(totals),
          trend: trend.map(({ startsAt, ...counts }) => ({ startsAt: formatDateTime(startsAt), ...counts })),
          retrying,
          held,
        })),
        trendMinutes: found.trendMinutes,
        ...shownStatistics(found),
      };
      return { json: JSON.stringify(statistics satisfies ShownCompanyStatistics) };
    }),
  ];
}
