import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import { getEventOperation } from '@partner/proto-contracts/resources/event/operations';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import { forwardResource } from '../forward-resource.js';
import { pathId } from '../path-id.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** `GET /partner-api/events/{id}`: one event with its outcome for each subscription, or why it was not queued. */
export function getEvent(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'getEvent'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(getEventOperation, async ({ principal, params, call }) => {
    const eventId = pathId('evt', params, 'event');
    const found = await deps.deliveries.getEvent({ companyId: principal.companyId, eventId }, call);
    return forwardResource(200, found);
  });
}
