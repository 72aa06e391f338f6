import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { deliveryQuery } from '@partner/proto-contracts/resources/delivery/delivery';
import {
  listCompanyDeliveriesOperation,
  listDeliveriesOperation,
} from '@partner/proto-contracts/resources/delivery/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { type PageCursorDeps, type PageCursors, pageCursors } from '@partner/gateway-kit/page-cursor';
import type { z } from 'zod';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

interface ListDeliveriesDeps extends PageCursorDeps {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'listDeliveries'>;
}

/** `GET /partner-api/deliveries`: a page of the deliveries to all subscriptions of the company, newest first. */
export function listCompanyDeliveries(deps: ListDeliveriesDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(listCompanyDeliveriesOperation, async ({ principal, query, call }) => {
    const cursors = cursorsOf(deps, principal);
    const page = await deps.deliveries.listDeliveries(requestOf(principal, query, cursors), call);
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}

/**
 * `GET /partner-api/webhooks/{id}/deliveries`: a page of a subscription's deliveries, newest first. A cursor is the
 * last delivery of the previous page, and only reads the subscription in the path.
 */
export function listDeliveries(deps: ListDeliveriesDeps): AnyEndpoint<OwnerSession> {
  return serveOperation(listDeliveriesOperation, async ({ principal, params, query, call }) => {
    const subscriptionId = pathId('whk', params, 'webhook subscription');
    const cursors = cursorsOf(deps, principal);
    const { fromNumber, toNumber } = query;
    const numbers = {
      ...(fromNumber !== undefined && { fromNumber: String(fromNumber) }),
      ...(toNumber !== undefined && { toNumber: String(toNumber) }),
    };
    const page = await deps.deliveries.listDeliveries(
      { ...requestOf(principal, query, cursors), subscriptionId, ...numbers },
      call,
    );
    return { status: 200, text: cursors.pageOf(page.resourceJson) };
  });
}

function cursorsOf(deps: PageCursorDeps, { companyId }: OwnerSession): PageCursors {
  return pageCursors(deps, { list: 'deliveries', prefix: 'dlv', companyId });
}

function requestOf({ companyId }: OwnerSession, query: z.output<typeof deliveryQuery>, cursors: PageCursors) {
  const { limit, status, event, from, to, resourceId, search } = query;
  const cursor = cursors.idOf(query.cursor);
  return {
    companyId,
    limit,
    ...(cursor !== undefined && { beforeDeliveryId: cursor }),
    ...(status !== undefined && { state: status }),
    ...(event !== undefined && { event }),
    ...(from !== undefined && { from: timestampFromDate(new Date(from)) }),
    ...(to !== undefined && { to: timestampFromDate(new Date(to)) }),
    ...(resourceId !== undefined && { resourceId }),
    ...(search !== undefined && { search }),
  };
}
