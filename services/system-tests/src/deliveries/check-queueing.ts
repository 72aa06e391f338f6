import type { ShownDelivery, Span, StoredEvent, SubscriptionHistory } from './delivery-history.js';
import { type HistoryIndex, inForce, TEST_EVENT, eventKey } from './history-index.js';

/** What a subscription has to get of an event: one delivery, none, one of a back-fill, or either one or none. */
export type Due = 'one' | 'none' | 'back-filled' | 'either';

/**
 * Every event comes to every subscription that is to have it exactly once, to no other one, and each of its deliveries has
 * finish (spec: Subscription and delivery moves; a paused subscription queues nothing).
 */
export function checkQueueing(history: HistoryIndex): string[] {
  const violations: string[] = [];
  for (const subscription of history.subscriptions) {
    for (const event of history.events) {
      const found = history.deliveriesOf(subscription.id, event.id);
      const due = dueTo(history, subscription, event);
      violations.push(
        ...judge(due, found).map(
          (violation) => `event ${event.id} (${eventKey(event)}) to ${subscription.id}: ${violation}`,
        ),
      );
    }
  }
  for (const { delivery } of history.deliveries) {
    const name = `delivery ${delivery.id} of ${delivery.subscriptionId}`;
    if (history.event(delivery.eventId) === undefined)
      violations.push(`${name}: there is no event ${delivery.eventId}`);
    if (delivery.state !== 'delivered' && delivery.state !== 'dead_lettered') {
      violations.push(`${name}: it is still ${delivery.state}`);
    }
  }
  return violations;
}

/** What a subscription has to get of an event, as far as it can be known from outside. */
export function dueTo(history: HistoryIndex, subscription: SubscriptionHistory, event: StoredEvent): Due {
  if (event.name === TEST_EVENT) return event.resourceId === subscription.id ? 'one' : 'none';
  if (event.companyId !== subscription.companyId || !subscription.events.includes(event.name)) return 'none';
  const write = history.writeOf(event);
  return write === undefined
    ? 'either'
    : dueByState(subscription, { from: write.sentAt, to: write.respondedAt });
}

function dueByState({ states }: SubscriptionHistory, committed: Span): Due {
  const { before, possible } = inForce(states, committed);
  const standings = new Set([before?.state ?? 'paused', ...possible.map(({ state }) => state)]);
  if (!standings.has('paused')) return 'one';
  // The pause that it can fall into ends with the next activation.
  const end = states.find(({ state, respondedAt }) => state === 'active' && respondedAt > committed.from);
  const isBackfilled = end?.backfill === true;
  if (standings.has('active')) return isBackfilled ? 'one' : 'either';
  return isBackfilled ? 'back-filled' : 'none';
}

function judge(due: Due, found: readonly ShownDelivery[]): string[] {
  const count = found.length;
  const isBackfilled = found.some(({ delivery }) => delivery.bulkReplayId !== null);
  switch (due) {
    case 'none':
      return count === 0 ? [] : [`it has ${count} deliveries and was to have none`];
    case 'either':
      return count <= 1 ? [] : [`it has ${count} deliveries`];
    case 'one':
    case 'back-filled':
      if (count === 0) return ['LOST, it has no delivery'];
      if (count > 1) return [`it has ${count} deliveries`];
      return due === 'back-filled' && !isBackfilled
        ? ['it was queued while the subscription was paused']
        : [];
  }
}
