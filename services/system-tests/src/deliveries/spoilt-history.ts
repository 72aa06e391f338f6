import type { DeliveryHistory, ShownDelivery } from './delivery-history.js';
import { TEST_EVENT } from './history-index.js';

/** A recorded history with a violation in it, and how the check names that. */
interface SpoiltHistory {
  readonly what: string;
  readonly history: DeliveryHistory;
  readonly violation: RegExp;
}

const without = <Item>(items: readonly Item[], one: Item, ...instead: readonly Item[]): readonly Item[] =>
  items.flatMap((item) => (item === one ? instead : [item]));

/**
 * Spoils a recorded history, so that a check which has become blind is found. What is sent again was delivered before
 * `until`, when nothing excuses that. Throws if the history lacks what it spoils.
 */
export function spoiltHistories(history: DeliveryHistory, until: number): readonly SpoiltHistory[] {
  const { deliveries, events, requests } = history;
  const found = (matches: (shown: ShownDelivery) => boolean): ShownDelivery => {
    const shown = deliveries.find(
      (one) => one.delivery.event !== TEST_EVENT && one.delivery.state === 'delivered' && matches(one),
    );
    if (shown === undefined) throw new Error('the history lacks a delivery to spoil');
    return shown;
  };
  const delivered = found(
    ({ attempts, delivery }) => attempts.length === 1 && Date.parse(delivery.finishedAt ?? '') < until,
  );
  const retried = found(
    ({ attempts }) =>
      attempts.length > 1 &&
      attempts[0]?.outcome === 'rejected' &&
      attempts.every(({ number }, place) => number === place + 1),
  );
  const [first, second, ...rest] = retried.attempts;
  const event = events.find(({ id }) => id === delivered.delivery.eventId);
  const post = requests.find(
    ({ headers }) => headers['x-svc-delivery-id'] === delivered.attempts[0]?.deliveryId,
  );
  if (event === undefined || post === undefined || first === undefined || second === undefined) {
    throw new Error('the history lacks what it shows');
  }
  const early = { ...retried, attempts: [first, { ...second, startedAt: first.startedAt }, ...rest] };
  const again = { ...post, headers: { ...post.headers, 'x-svc-delivery-id': 'dlv_again' } };
  const changed = { ...post, body: Buffer.concat([post.body, Buffer.from(' ')]) };
  return [
    {
      what: 'an acknowledged write without an event',
      history: { ...history, events: without(events, event) },
      violation: /LOST, its write was acknowledged and there is no event/,
    },
    {
      what: 'an event without a delivery',
      history: { ...history, deliveries: without(deliveries, delivered) },
      violation: /LOST, it has no delivery[^]*no delivery stands for it/,
    },
    {
      what: 'other bytes',
      history: { ...history, requests: without(requests, post, changed) },
      violation: /its body is not that of event[^]*x-svc-signature is of version none/,
    },
    {
      what: 'a retry before its time',
      history: { ...history, deliveries: without(deliveries, retried, early) },
      violation: /attempt 2 comes \d+ ms too early/,
    },
    {
      what: 'a delivered event that is sent again',
      history: { ...history, requests: [...requests, { ...again, receivedAt: post.receivedAt + 1 }] },
      violation: /the POST dlv_again comes after the receiver had taken it/,
    },
  ];
}
