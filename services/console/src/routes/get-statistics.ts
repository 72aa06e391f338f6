import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getStatisticsOperation } from '@partner/proto-contracts/resources/statistics/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { statisticsSpan } from '../statistics-span.js';

/** `GET /partner-api/statistics`: attempt counts of the company, over time and for each subscription. */
export function getStatistics(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getCompanyStatistics'>;
  readonly clock: () => Date;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getStatisticsOperation, async ({ principal, query, call }) => {
    const found = await deps.deliveries.getCompanyStatistics(
      { companyId: principal.companyId, ...statisticsSpan(query, deps.clock()) },
      call,
    );
    return forwardResource(200, found);
  });
}
