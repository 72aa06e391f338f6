import {
  getStatisticsOperation,
  getWebhookStatisticsOperation,
} from '@partner/proto-contracts/resources/statistics/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { getCompanyStatistics, getSubscriptionStatistics } from './read-statistics.js';
import { statisticsSpan } from './statistics-span.js';

export function statisticsOperations(deps: {
  readonly database: Pick<Database, 'query'>;
  readonly clock: () => Date;
}): readonly Implementation[] {
  return [
    implement(getWebhookStatisticsOperation, async ({ companyId, params, query, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const of = { companyId, subscriptionId: pathId('whk', params.id, 'webhook subscription') };
      const span = statisticsSpan(query, deps.clock());
      return { json: JSON.stringify(await getSubscriptionStatistics(database, of, span)) };
    }),
    implement(getStatisticsOperation, async ({ companyId, query, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const span = statisticsSpan(query, deps.clock());
      return { json: JSON.stringify(await getCompanyStatistics(database, companyId, span)) };
    }),
  ];
}
