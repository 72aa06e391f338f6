import type { EventPage } from '@partner/proto-contracts/resources/event/event';
import { getEventOperation, listEventsOperation } from '@partner/proto-contracts/resources/event/operations';
import { type Implementation, implement } from '@partner/kernel/amqp/implement';
import { type Database, queryWithin } from '../../database/database.js';
import { pathId } from '../../rpc/path-id.js';
import { shownEvent } from './event-resource.js';
import { getEvent } from './get-event.js';
import { eventsOf, listEvents } from './list-events.js';

/** The same for a missing resource and for another company's: existence is not confirmed. */
const NONE_CONCERNED_YOU =
  'No events found for this id. It may not exist, may not be yours (for example, a job that is not assigned to your company), ' +
  'or may have no stored events that match.';

export function eventOperations(deps: {
  readonly database: Pick<Database, 'query'>;
}): readonly Implementation[] {
  return [
    implement(listEventsOperation, async ({ companyId, query, after, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const { limit, event, resourceId } = query;
      const { events, nextBeforeId } = await listEvents(database, {
        companyId,
        beforeEventId: after,
        limit,
        events: eventsOf(event),
        resourceId,
      });
      const isNone = events.length === 0 && after === undefined && nextBeforeId === undefined;
      const page = {
        events: events.map((each) => ({ ...shownEvent(each), deliveryStates: [...each.deliveryStates] })),
        nextCursor: nextBeforeId ?? null,
        explanation: isNone && resourceId !== undefined ? NONE_CONCERNED_YOU : null,
      };
      return { json: JSON.stringify(page satisfies EventPage) };
    }),
    implement(getEventOperation, async ({ companyId, params, timeoutMs }) => {
      const database = queryWithin(deps.database, { companyId, timeoutMs: timeoutMs() });
      const eventId = pathId('evt', params.id, 'event');
      return { json: JSON.stringify(await getEvent(database, { companyId, eventId })) };
    }),
  ];
}
