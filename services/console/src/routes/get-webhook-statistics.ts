import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getWebhookStatisticsOperation } from '@partner/proto-contracts/resources/statistics/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';
import { statisticsSpan } from '../statistics-span.js';

/** `GET /partner-api/webhooks/{id}/statistics`: attempt counts of one subscription over time. */
export function getWebhookStatistics(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getSubscriptionStatistics'>;
  readonly clock: () => Date;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getWebhookStatisticsOperation, async ({ principal, params, query, call }) => {
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const found = await deps.deliveries.getSubscriptionStatistics(
      { companyId: principal.companyId, subscriptionId, ...statisticsSpan(query, deps.clock()) },
      call,
    );
    return forwardResource(200, found);
  });
}
