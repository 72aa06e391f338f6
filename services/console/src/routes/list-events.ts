import type { Client } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { eventPage } from '@partner/proto-contracts/public-api/event-trail';
import { listEventsOperation } from '@partner/proto-contracts/public-api/operations/deliveries';
import { type AnyEndpoint, serveOperation } from '@partner/gateway-kit/endpoint';
import type { z } from 'zod';
import { pageCursor } from '../page-cursor.js';
import { presentEvent } from '../present-event.js';
import type { OwnerSession } from '../sessions/session-store.js';

/** The same for a resource that does not exist and for one of another company: existence is not confirmed. */
const NONE_CONCERNED_YOU =
  'No event that is still kept and that you asked for was about this resource and concerned your company: it may not exist,' +
  ' or not be yours, for instance because the job is not assigned to your company, or nothing has happened to it.';

/**
 * `GET /partner-api/events`: a page of the events of the owner's company, newest first. An empty list about a resource is
 * explained, in the same words whether the resource exists or not.
 */
export function listEvents(deps: {
  readonly deliveries: Pick<Client<typeof DeliveryService>, 'listEvents'>;
}): AnyEndpoint<OwnerSession> {
  return serveOperation(listEventsOperation, async ({ principal, query, call }) => {
    const { limit, event, resourceId } = query;
    const cursor = pageCursor('evt', query.cursor);
    const page = await deps.deliveries.listEvents(
      {
        companyId: principal.companyId,
        limit,
        ...(cursor !== undefined && { beforeEventId: cursor }),
        ...(event !== undefined && { event }),
        ...(resourceId !== undefined && { resourceId }),
      },
      call,
    );
    const nextCursor = page.nextBeforeEventId ?? null;
    const isNone = page.events.length === 0 && cursor === undefined && nextCursor === null;
    const json = {
      events: page.events.map(presentEvent),
      nextCursor,
      explanation: isNone && resourceId !== undefined ? NONE_CONCERNED_YOU : null,
    } satisfies z.input<typeof eventPage>;
    return { status: 200, json };
  });
}
