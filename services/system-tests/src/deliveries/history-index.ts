import type { TimedWebhook } from '../support/webhook-receiver.js';
import type {
  AcknowledgedWrite,
  RequestedChange,
  DeliveryHistory,
  ShownDelivery,
  Span,
  StoredEvent,
  SubscriptionHistory,
  AnnouncedEvent,
} from './delivery-history.js';

/** The event of a test delivery. */
export const TEST_EVENT = 'install.test';

/** What is read of two clocks, or of one clock in two ways, can differ by this much, in milliseconds. */
export const CLOCK_READING_MS = 2;

/** A POST with the subscription that its path leads to. */
export interface PlacedRequest {
  readonly request: TimedWebhook;
  readonly subscription: SubscriptionHistory;
  readonly attemptId: string;
  /** When it was signed, in whole seconds: it began within the second that follows. */
  readonly signedAt: number;
}

/** A history with what its parts have to do with each other. */
export interface HistoryIndex extends DeliveryHistory {
  readonly placed: readonly PlacedRequest[];
  event(id: string): StoredEvent | undefined;
  /** The write that made an event; undefined for a test, and for one that nothing explains. */
  writeOf(event: AnnouncedEvent): AcknowledgedWrite | undefined;
  requestsOf(subscriptionId: string, eventId: string): readonly PlacedRequest[];
  deliveriesOf(subscriptionId: string, eventId: string): readonly ShownDelivery[];
  requestOfAttempt(attemptId: string): PlacedRequest | undefined;
  /** Whether something was taken from the service that can still be felt at some time in between. */
  isUnsettled(span: Span): boolean;
}

/** Joins the parts of a history. */
export function indexHistory(history: DeliveryHistory): HistoryIndex {
  const paths = new Map(history.subscriptions.flatMap((one) => one.paths.map(({ path }) => [path, one])));
  const placed = history.requests.flatMap((request) => {
    const subscription = paths.get(request.path);
    if (subscription === undefined) return [];
    const attemptId = String(request.headers['x-svc-delivery-id']);
    return [
      { request, subscription, attemptId, signedAt: Number(request.headers['x-svc-timestamp']) * 1_000 },
    ];
  });
  const events = new Map(history.events.map((event) => [event.id, event]));
  const writes = new Map(
    history.writes.flatMap((write) => write.tells.map((reported) => [eventKey(reported), write])),
  );
  const requests = groupBy(placed, (one) => pairKey(one.subscription.id, one.request.envelope.id));
  const deliveries = groupBy(history.deliveries, ({ delivery }) =>
    pairKey(delivery.subscriptionId, delivery.eventId),
  );
  const byAttempt = new Map(placed.map((one) => [one.attemptId, one]));
  return {
    ...history,
    placed,
    event: (id) => events.get(id),
    writeOf: (event) => writes.get(eventKey(event)),
    requestsOf: (subscriptionId, eventId) => requests.get(pairKey(subscriptionId, eventId)) ?? [],
    deliveriesOf: (subscriptionId, eventId) => deliveries.get(pairKey(subscriptionId, eventId)) ?? [],
    requestOfAttempt: (attemptId) => byAttempt.get(attemptId),
    isUnsettled: ({ from, to }) => history.unsettled.some((span) => span.from <= to && span.to >= from),
  };
}

/** One line that tells an event from all others. */
export function eventKey({ name, resourceId, resourceVersion }: AnnouncedEvent): string {
  return `${name} of ${resourceId} at version ${resourceVersion}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function pairKey(subscriptionId: string, eventId: string): string {
  return `${subscriptionId} ${eventId}`;
}

/** The change that was in force for certain before a time, and those that can have come into force in a span. */
export function inForce<Change extends RequestedChange>(
  changes: readonly Change[],
  { from, to }: Span,
): { readonly before: Change | undefined; readonly possible: readonly Change[] } {
  return {
    before: changes.findLast(({ respondedAt }) => respondedAt <= from),
    possible: changes.filter(({ sentAt, respondedAt }) => respondedAt > from && sentAt < to),
  };
}
