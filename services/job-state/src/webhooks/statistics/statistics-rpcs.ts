import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  ShownCompanyStatistics,
  ShownStatistics,
} from '@partner/proto-contracts/resources/statistics/statistics';
import { formatDateTime } from '@partner/proto-contracts/values/date-time';
import { type Database, queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { subscriptionOf } from '../subscriptions/get-subscription.js';
import { getCompanyStatistics, getSubscriptionStatistics } from './read-statistics.js';
import { shownCounts, shownStatistics } from './statistics-resource.js';

/** Serves the RPCs with which a company's owner reads webhook statistics. */
export function createStatisticsRpcs(deps: {
  readonly database: Pick<Database, 'query'>;
}): Pick<ServiceImpl<typeof DeliveryService>, 'getSubscriptionStatistics' | 'getCompanyStatistics'> {
  return {
    async getSubscriptionStatistics(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const subscription = subscriptionOf(request);
      const found = await getSubscriptionStatistics(database, subscription, spanOf(request));
      const statistics = { webhookId: subscription.subscriptionId, ...shownStatistics(found) };
      return { resourceJson: JSON.stringify(statistics satisfies ShownStatistics) };
    },

    async getCompanyStatistics(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const companyId = required(request.companyId, 'company_id');
      const found = await getCompanyStatistics(database, companyId, spanOf(request));
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
      return { resourceJson: JSON.stringify(statistics satisfies ShownCompanyStatistics) };
    },
  };
}

function spanOf(request: { readonly from?: Timestamp | undefined; readonly to?: Timestamp | undefined }) {
  return {
    from: timestampDate(required(request.from, 'from')),
    to: timestampDate(required(request.to, 'to')),
  };
}
