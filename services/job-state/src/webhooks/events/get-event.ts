import { instantOfId } from '@partner/kernel/process/ids';
import type { EventWithTrail } from '@partner/proto-contracts/resources/event/event';
import { notFound } from '@partner/kernel/process/service-error';
import type { Queryable } from '../../database/database.js';
import { idsCreatedWithin } from '../../database/created-within.js';
import { ANY_DELIVERY_COLUMNS, type DeliveryRow } from '../deliveries/delivery-columns.js';
import { ATTEMPT_SUMMARY_COLUMNS, type AttemptSummaryRow } from '../deliveries/attempt-columns.js';
import { shownAttemptSummary, shownDelivery } from '../deliveries/delivery-resource.js';
import {
  EVENT_COLUMNS,
  type EventRow,
  type EventVerdictName,
  EXPLANATIONS,
  shownEvent,
} from './event-resource.js';
import type { NOT_QUEUED_REASONS } from './record-event.js';

/** Maximum number of deliveries of one event to one subscription in the response: the newest ones. */
export const MAX_DELIVERIES_SHOWN = 10;

/** Average per delivery. More than the 8 counted attempts: an attempt whose lease expired is made again. */
const MAX_ATTEMPTS_SHOWN = 10;
const MAX_DELETED_SUBSCRIPTIONS_SHOWN = 50;

interface StoredEvent extends EventRow {
  readonly notQueued: Readonly<Record<string, (typeof NOT_QUEUED_REASONS)[number]>> | null;
}

interface TracedSubscription {
  readonly id: string;
  readonly createdAt: Date;
  readonly deletedAt: Date | null;
}

/**
 * Reads one event of a company with its outcome for each subscription.
 *
 * The subscriptions are all current ones of the company and its newest deleted ones. Each has the newest {@link
 * MAX_DELIVERIES_SHOWN} deliveries, or the reason why it has none. A test concerns only the subscription that it was sent to.
 * Another company's event is `not_found`, like one that does not exist. It always takes four statements.
 */
export async function getEvent(
  database: Queryable,
  { companyId, eventId }: { readonly companyId: string; readonly eventId: string },
): Promise<EventWithTrail> {
  const [found] = await database.query<StoredEvent>(
    `select ${EVENT_COLUMNS}, e.not_queued as "notQueued" from events e where e.id = $1 and e.company_id = $2`,
    [eventId, companyId],
  );
  if (found === undefined) throw notFound('event');
  const { notQueued, ...event } = found;
  const subscriptions = await subscriptionsConcernedBy(database, companyId, event);
  // The process that created the event's id created the delivery ids right after it, with the same clock.
  const { lowest } = idsCreatedWithin('dlv', { from: instantOfId('evt', event.id), to: undefined });
  const deliveries = await database.query<DeliveryRow>(
    `with of_event as materialized (
       select d.*, row_number() over (partition by d.subscription_id order by d.id desc) as place
       from all_deliveries d
       where d.event_id = $1 and d.company_id = $2 and d.id >= $3 and d.subscription_id = any($4::text[])
     )
     select ${ANY_DELIVERY_COLUMNS} from of_event d where d.place <= $5 order by d.id desc`,
    [eventId, companyId, lowest, subscriptions.map(({ id }) => id), MAX_DELIVERIES_SHOWN],
  );
  const attempts = await database.query<AttemptSummaryRow & { readonly of: string }>(
    `select ${ATTEMPT_SUMMARY_COLUMNS}, a.delivery_id as of from delivery_attempts a
     where a.delivery_id = any($1::text[])
     order by a.started_at, a.id
     limit $2`,
    [deliveries.map(({ id }) => id), MAX_ATTEMPTS_SHOWN * deliveries.length],
  );
  return {
    event: shownEvent(event),
    body: event.body.toString('utf8'),
    subscriptions: subscriptions.map((subscription) => {
      const { id: subscriptionId } = subscription;
      const own = deliveries.filter((delivery) => delivery.subscriptionId === subscriptionId);
      const noted = notQueued?.[subscriptionId];
      const verdict = own.length > 0 ? 'queued' : whyNotQueued(subscription, event, noted);
      return {
        ...{ subscriptionId, verdict, explanation: EXPLANATIONS[verdict] },
        deliveries: own.map((delivery) => ({
          delivery: shownDelivery(delivery),
          attempts: attempts.filter(({ of }) => of === delivery.id).map(shownAttemptSummary),
        })),
      };
    }),
  };
}

function subscriptionsConcernedBy(
  database: Queryable,
  companyId: string,
  event: EventRow,
): Promise<TracedSubscription[]> {
  return database.query<TracedSubscription>(
    `with concerned as not materialized (
       select s.id, s.created_at as "createdAt", s.deleted_at as "deletedAt" from subscriptions s
       where s.company_id = $1 and ($2::text is null or s.id = $2)
     )
     (select * from concerned where "deletedAt" is null)
     union all
     (select * from concerned where "deletedAt" is not null order by id desc limit $3)
     order by id`,
    [companyId, event.testSubscriptionId, MAX_DELETED_SUBSCRIPTIONS_SHOWN],
  );
}

/** Why there is no delivery. The reason recorded at the commit of the event comes first. */
function whyNotQueued(
  subscription: TracedSubscription,
  event: EventRow,
  noted: EventVerdictName | undefined,
): EventVerdictName {
  if (noted !== undefined) return noted;
  if (subscription.createdAt > event.committedAt) return 'created_later';
  const { deletedAt } = subscription;
  return deletedAt !== null && deletedAt <= event.committedAt ? 'deleted' : 'no_longer_kept';
}
