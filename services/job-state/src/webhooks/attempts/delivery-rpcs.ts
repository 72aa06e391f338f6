import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ServiceImpl } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type {
  DeliveryPage,
  DeliveryWithAttempts,
} from '@partner/proto-contracts/resources/delivery/delivery';
import { type Database, queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { pageSize } from '../../rpc/page-size.js';
import { eventsOf } from '../events/list-events.js';
import {
  shownAttempt,
  shownDelivery,
  shownListedDelivery,
  stateOf,
} from '../deliveries/delivery-resource.js';
import { getDelivery } from './get-delivery.js';
import { listDeliveries } from './list-deliveries.js';

/** Serves the RPCs with which a company's owner reads deliveries and their attempts. */
export function createDeliveryRpcs(deps: {
  readonly database: Pick<Database, 'query'>;
}): Pick<ServiceImpl<typeof DeliveryService>, 'listDeliveries' | 'getDelivery'> {
  return {
    async listDeliveries(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { state } = request;
      const { deliveries, nextBeforeId } = await listDeliveries(database, {
        companyId: required(request.companyId, 'company_id'),
        subscriptionId: request.subscriptionId,
        beforeDeliveryId: request.beforeDeliveryId,
        limit: pageSize(request.limit),
        state: state === undefined ? undefined : stateOf(state),
        events: eventsOf(request.event),
        created: { from: optionalDate(request.from), to: optionalDate(request.to) },
        resourceId: request.resourceId,
        search: request.search,
        numbers: { from: request.fromNumber, to: request.toNumber },
      });
      const page = { deliveries: deliveries.map(shownListedDelivery), nextCursor: nextBeforeId ?? null };
      return { resourceJson: JSON.stringify(page satisfies DeliveryPage) };
    },

    async getDelivery(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { delivery, attempts, body } = await getDelivery(database, {
        companyId: required(request.companyId, 'company_id'),
        deliveryId: required(request.deliveryId, 'delivery_id'),
      });
      const found = {
        delivery: shownDelivery(delivery),
        attempts: attempts.map(shownAttempt),
        body: body === null ? null : body.toString('utf8'),
      };
      return { resourceJson: JSON.stringify(found satisfies DeliveryWithAttempts) };
    },
  };
}

function optionalDate(instant: Timestamp | undefined): Date | undefined {
  return instant === undefined ? undefined : timestampDate(instant);
}
