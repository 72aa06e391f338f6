import type { DeliveryPage, deliveryQuery } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  getDeliveryOperation,
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { type Implementation, implement, type OperationRequest } from '@partner/kernel/amqp/implement';
import type { z } from 'zod';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { eventsOf } from '../events/list-events.js';
import { shownListedDelivery } from '../deliveries/delivery-resource.js';
import { getDelivery } from './get-delivery.js';
import { type DeliveryQuery, listDeliveries } from './list-deliveries.js';

type ListRequest = OperationRequest<z.output<typeof deliveryQuery>, unknown, never>;

/** The operations with which owners and operators read deliveries and their attempts. */
export function deliveryOperations(deps: {
  readonly database: Pick<Database, 'query'>;
}): readonly Implementation[] {
  const within = ({ companyId, timeoutMs }: Pick<ListRequest, 'companyId' | 'timeoutMs'>) =>
    queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });

  async function pageFor(
    request: Pick<ListRequest, 'companyId' | 'timeoutMs' | 'query' | 'after'>,
    only: Pick<DeliveryQuery, 'subscriptionId' | 'numbers'>,
  ) {
    const { companyId, query, after } = request;
    const { limit, status, event, from, to, resourceId, search } = query;
    const { deliveries, nextBeforeId } = await listDeliveries(within(request), {
      ...only,
      companyId,
      beforeDeliveryId: after,
      limit,
      state: status,
      events: eventsOf(event),
      created: { from: optionalDate(from), to: optionalDate(to) },
      resourceId,
      search,
    });
    const page = { deliveries: deliveries.map(shownListedDelivery), nextCursor: nextBeforeId ?? null };
    return { json: JSON.stringify(page satisfies DeliveryPage) };
  }

  return [
    implement(listCompanyDeliveriesOperation, (request) =>
      pageFor(request, { subscriptionId: undefined, numbers: { from: undefined, to: undefined } }),
    ),
    implement(listDeliveriesOperation, async (request) => {
      const { fromNumber, toNumber } = request.query;
      return pageFor(request, {
        subscriptionId: pathId('whk', request.params.id, 'webhook subscription'),
        numbers: { from: fromNumber?.toString(), to: toNumber?.toString() },
      });
    }),
    implement(getDeliveryOperation, async (request) => {
      const { companyId, params } = request;
      const deliveryId = pathId('dlv', params.id, 'webhook delivery');
      return { json: JSON.stringify(await getDelivery(within(request), { companyId, deliveryId })) };
    }),
  ];
}

function optionalDate(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
