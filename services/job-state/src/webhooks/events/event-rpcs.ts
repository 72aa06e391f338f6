import type { ServiceImpl } from '@connectrpc/connect';
import type { DeliveryService } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_service_pb';
import type { EventPage, EventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { type Database, queryWithin } from '../../database/database.js';
import { callerLimits } from '../../rpc/caller-limits.js';
import { required } from '../../rpc/required.js';
import { pageSize } from '../../rpc/page-size.js';
import { shownEvent, shownEventTrail } from './event-resource.js';
import { getEvent } from './get-event.js';
import { eventsOf, listEvents } from './list-events.js';

/** The same for a missing resource and for another company's: existence is not confirmed. */
const NONE_CONCERNED_YOU =
  'No event that is still kept and that you asked for was about this resource and concerned your company: it may not exist,' +
  ' or not be yours, for instance because the job is not assigned to your company, or nothing has happened to it.';

/** Serves the RPCs with which a company's owner reads events. */
export function createEventRpcs(deps: {
  readonly database: Pick<Database, 'query'>;
}): Pick<ServiceImpl<typeof DeliveryService>, 'listEvents' | 'getEvent'> {
  return {
    async listEvents(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { events, nextBeforeId } = await listEvents(database, {
        companyId: required(request.companyId, 'company_id'),
        beforeEventId: request.beforeEventId,
        limit: pageSize(request.limit),
        events: eventsOf(request.event),
        resourceId: request.resourceId,
      });
      const isNone = events.length === 0 && request.beforeEventId === undefined && nextBeforeId === undefined;
      const page = {
        events: events.map((event) => ({ ...shownEvent(event), deliveryStates: [...event.deliveryStates] })),
        nextCursor: nextBeforeId ?? null,
        explanation: isNone && request.resourceId !== undefined ? NONE_CONCERNED_YOU : null,
      };
      return { resourceJson: JSON.stringify(page satisfies EventPage) };
    },

    async getEvent(request, context) {
      const database = queryWithin(deps.database, callerLimits(request, context));
      const { event, subscriptions } = await getEvent(database, {
        companyId: required(request.companyId, 'company_id'),
        eventId: required(request.eventId, 'event_id'),
      });
      const found = {
        event: shownEvent(event),
        body: event.body.toString('utf8'),
        subscriptions: subscriptions.map(shownEventTrail),
      };
      return { resourceJson: JSON.stringify(found satisfies EventWithTrail) };
    },
  };
}
