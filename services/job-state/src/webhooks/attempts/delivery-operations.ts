import type { DeliveryPage } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import { type Database, type Queryable, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { shownListedDelivery } from '../deliveries/delivery-resource.js';
import { getDelivery } from './get-delivery.js';
import { type DeliveryQuery, listDeliveries } from './list-deliveries.js';

export function deliveryOperations(deps: {
  readonly database: Pick<Database, 'query'>;
}): readonly Implementation[] {
  const within = ({
    companyId,
    timeoutMs,
  }: Pick<OperationRequest<unknown, unknown>, 'companyId' | 'timeoutMs'>) =>
    queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });

  async function pageFor(database: Queryable, query: DeliveryQuery) {
    const { deliveries, nextBeforeId } = await listDeliveries(database, query);
    const page = { deliveries: deliveries.map(shownListedDelivery), nextCursor: nextBeforeId ?? null };
    return { json: JSON.stringify(page satisfies DeliveryPage) };
  }

  return [
    implement(listCompanyDeliveriesOperation, (request) => {
      const { companyId, query, after } = request;
      return pageFor(within(request), { ...query, companyId, beforeDeliveryId: after });
    }),
    implement(listDeliveriesOperation, async (request) => {
      const { companyId, query, after } = request;
      const subscriptionId = pathId('whk', request.params.id, 'webhook subscription');
      return pageFor(within(request), { ...query, companyId, subscriptionId, beforeDeliveryId: after });
    }),
    implement(getDeliveryOperation, async (request) => {
      const { companyId, params } = request;
      const deliveryId = pathId('dlv', params.id, 'webhook delivery');
      return { json: JSON.stringify(await getDelivery(within(request), { companyId, deliveryId })) };
    }),
  ];
}
