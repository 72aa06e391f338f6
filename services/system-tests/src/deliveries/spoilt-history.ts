import type { TimedWebhook } from '../support/webhook-receiver.js';
import type { DeliveryHistory, ShownDelivery, StoredEvent, SubscriptionHistory } from './delivery-history.js';
import { TEST_EVENT } from './history-index.js';

/** A recorded history, and the parts of it that are spoilt. */
export interface Recorded {
  readonly history: DeliveryHistory;
  /** Delivered with its first attempt. */
  readonly delivered: ShownDelivery;
  /** Delivered after a response that was not 2xx. */
  readonly retried: ShownDelivery;
  readonly deadLettered: ShownDelivery;
  /** The event of `delivered`, its subscription, and the POST of its attempt. */
  readonly event: StoredEvent;
  readonly subscription: SubscriptionHistory;
  readonly post: TimedWebhook;
}

type Spoil = (recorded: Recorded) => Partial<DeliveryHistory>;
type Attempts = ShownDelivery['attempts'];

const NEVER = { sentAt: Number.MAX_SAFE_INTEGER, answeredAt: Number.MAX_SAFE_INTEGER };

/** Chooses what is spoilt. Throws if the history lacks it. */
export function chooseParts(history: DeliveryHistory): Recorded {
  const ofJobs = history.deliveries.filter(({ delivery }) => delivery.event !== TEST_EVENT);
  const delivered = found(
    ofJobs.find(({ delivery, attempts }) => delivery.state === 'delivered' && attempts.length === 1),
  );
  const retried = found(
    ofJobs.find(
      ({ delivery, attempts }) =>
        delivery.state === 'delivered' && attempts.length > 1 && attempts[0]?.outcome === 'rejected',
    ),
  );
  const deadLettered = found(ofJobs.find(({ delivery }) => delivery.state === 'dead_lettered'));
  const { eventId, subscriptionId } = delivered.delivery;
  return {
    history,
    delivered,
    retried,
    deadLettered,
    event: found(history.events.find(({ id }) => id === eventId)),
    subscription: found(history.subscriptions.find(({ id }) => id === subscriptionId)),
    post: postOf(history, delivered),
  };
}

function found<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('the history lacks a part to spoil');
  return part;
}

function postOf({ requests }: DeliveryHistory, { attempts }: ShownDelivery): TimedWebhook {
  return found(requests.find(({ headers }) => headers['x-svc-delivery-id'] === attempts[0]?.deliveryId));
}

const replace = <Item>(items: readonly Item[], one: Item, ...by: readonly Item[]): readonly Item[] =>
  items.flatMap((item) => (item === one ? by : [item]));

const spoilEvent =
  (change: (event: StoredEvent) => readonly StoredEvent[]): Spoil =>
  ({ history, event }) => ({ events: replace(history.events, event, ...change(event)) });
const spoilSubscription =
  (change: (subscription: SubscriptionHistory) => Partial<SubscriptionHistory>): Spoil =>
  ({ history, subscription }) => ({
    subscriptions: replace(history.subscriptions, subscription, { ...subscription, ...change(subscription) }),
  });
const spoilPost =
  (change: (post: TimedWebhook) => Partial<TimedWebhook>): Spoil =>
  ({ history, post }) => ({ requests: replace(history.requests, post, { ...post, ...change(post) }) });
const spoilHeader = (name: string, value: string): Spoil =>
  spoilPost(({ headers }) => ({ headers: { ...headers, [name]: value } }));
const spoilDelivery =
  (
    which: 'delivered' | 'retried' | 'deadLettered',
    change: (shown: ShownDelivery) => Partial<ShownDelivery['delivery']>,
  ): Spoil =>
  ({ history, [which]: shown }) => ({
    deliveries: replace(history.deliveries, shown, {
      ...shown,
      delivery: { ...shown.delivery, ...change(shown) },
    }),
  });
const spoilAttempts =
  (which: 'delivered' | 'retried' | 'deadLettered', change: (attempts: Attempts) => Attempts): Spoil =>
  ({ history, [which]: shown }) => ({
    deliveries: replace(history.deliveries, shown, { ...shown, attempts: change(shown.attempts) }),
  });
const later = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();

/** The same event in one more POST, under a delivery id of its own. */
export const SENT_AGAIN: Spoil = ({ history, post }) => ({
  requests: [
    ...history.requests,
    {
      ...post,
      headers: { ...post.headers, 'x-svc-delivery-id': 'dlv_again' },
      receivedAt: post.receivedAt + 1,
    },
  ],
});

/** Violations that no fault of the surroundings excuses. */
export const NEVER_ALLOWED: readonly (readonly [what: string, spoil: Spoil, violation: RegExp])[] = [
  [
    'an acknowledged write without an event',
    spoilEvent(() => []),
    /LOST, its write was acknowledged and there is no event/,
  ],
  [
    'an event without a delivery',
    ({ history, delivered }) => ({ deliveries: replace(history.deliveries, delivered) }),
    /LOST, it has no delivery[^]*no delivery stands for it/,
  ],
  [
    'other bytes',
    spoilPost(({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) })),
    /its body is not that of event/,
  ],
  [
    'a retry before its time',
    spoilAttempts('retried', ([first, second, ...rest]) => [
      ...(first === undefined || second === undefined
        ? []
        : [first, { ...second, startedAt: first.startedAt }]),
      ...rest,
    ]),
    /attempt 2 comes \d+ ms too early/,
  ],
];

/** Every other violation that the checker knows. */
export const SPOILT: readonly (readonly [what: string, spoil: Spoil, violation: RegExp])[] = [
  [
    'a write with two events',
    spoilEvent((event) => [event, { ...event, id: 'evt_x' }]),
    /one write has made 2 events/,
  ],
  ['an event that no write has made', () => ({ writes: [] }), /no write has made it/],
  [
    'an event of the wrong company',
    spoilEvent((event) => [{ ...event, companyId: 'cmp_x' }]),
    /it is told to cmp_x[^]*it tells of cmp_x, another company/,
  ],
  [
    'a body that tells of another version',
    spoilEvent((event) => [{ ...event, resourceVersion: 0 }]),
    /its body says/,
  ],
  [
    'an event with two deliveries',
    ({ history, delivered }) => ({ deliveries: [...history.deliveries, delivered] }),
    /it has 2 deliveries/,
  ],
  [
    'a delivery that never ended',
    spoilDelivery('delivered', () => ({ state: 'retry_scheduled' })),
    /it is still retry_scheduled/,
  ],
  [
    'a delivery of an event that is not there',
    spoilDelivery('delivered', () => ({ eventId: 'evt_x' })),
    /there is no event evt_x/,
  ],
  [
    'an event that was not subscribed to',
    spoilSubscription(() => ({ events: [] })),
    /it has 1 deliveries and was to have none/,
  ],
  [
    'an event that was queued in a pause',
    spoilSubscription(() => ({ states: [{ ...NEVER, state: 'active', backfill: true }] })),
    /it was queued while the subscription was paused/,
  ],
  ['a POST during a pause', spoilSubscription(() => ({ states: [] })), /the subscription was paused/],
  ['a POST to an unknown URL', spoilPost(() => ({ path: '/x' })), /the URL of no subscription/],
  [
    'a POST to another URL of its subscription',
    spoilSubscription(({ paths }) => ({ paths: paths.map((path) => ({ ...path, ...NEVER })) })),
    /that was not the URL to send to/,
  ],
  [
    'a delivery id that comes twice',
    ({ history, post }) => ({ requests: [...history.requests, post] }),
    /its delivery id was seen before/,
  ],
  ['a POST without a delivery id', spoilHeader('x-svc-delivery-id', ''), /it has no delivery id/],
  ['the name of another event', spoilHeader('x-svc-event', 'install.test'), /x-svc-event is install\.test/],
  ['the id of another event', spoilHeader('webhook-id', 'evt_x'), /webhook-id is evt_x/],
  ['another content type', spoilHeader('content-type', 'text/plain'), /content-type is text\/plain/],
  [
    'an old timestamp',
    spoilPost(({ receivedAt }) => ({ receivedAt: receivedAt + 400_000 })),
    /its timestamp is \d+ ms old/,
  ],
  ['another secret version', spoilHeader('x-svc-secret-version', '99'), /it states version 99 of the secret/],
  ['a wrong signature', spoilHeader('x-svc-signature', 'v1=00'), /x-svc-signature is of version none/],
  [
    'a wrong Standard Webhooks signature',
    spoilHeader('webhook-signature', 'v1,00'),
    /webhook-signature is of version none/,
  ],
  [
    'a secret that is not active',
    spoilSubscription(({ secrets }) => ({ secrets: secrets.map((one) => ({ ...one, activation: NEVER })) })),
    /of the secret was not the one to sign with/,
  ],
  [
    'an attempt that was never made',
    ({ history, post }) => ({ requests: replace(history.requests, post) }),
    /attempt 1 \(dlv_\w+, delivered\) was never made/,
  ],
  [
    'another response than that of the receiver',
    spoilPost(() => ({ answeredStatus: 503 })),
    /attempt 1 .* was answered 503 and not 2/,
  ],
  [
    'a delivered attempt that is shown as rejected',
    spoilAttempts('delivered', (attempts) => attempts.map((one) => ({ ...one, outcome: 'rejected' }))),
    /attempt 1 \(dlv_\w+, rejected\) was answered 2/,
  ],
  [
    'a response that is shown as a timeout',
    spoilAttempts('delivered', (attempts) => attempts.map((one) => ({ ...one, outcome: 'timed_out' }))),
    /attempt 1 \(dlv_\w+, timed_out\) was answered 2/,
  ],
  [
    'an attempt with the POST of another event',
    ({ history, delivered, retried }) => ({
      deliveries: replace(history.deliveries, delivered, { ...delivered, attempts: retried.attempts }),
    }),
    /attempt 1 .* sent event evt_/,
  ],
  [
    'another secret version than that which has signed',
    spoilAttempts('delivered', (attempts) => attempts.map((one) => ({ ...one, secretVersion: 99 }))),
    /is said to be signed with version 99/,
  ],
  [
    'the timestamp of another attempt',
    spoilAttempts('delivered', (attempts) =>
      attempts.map((one) => ({ ...one, startedAt: later(one.startedAt, 5_000) })),
    ),
    /has a timestamp that is not its own/,
  ],
  [
    'a number that is left out',
    spoilAttempts('retried', (attempts) =>
      attempts.map((one) => (one.number === 1 ? one : { ...one, number: one.number + 1 })),
    ),
    /its attempts are numbered 1, 3/,
  ],
  [
    'a count of attempts that is not theirs',
    spoilDelivery('retried', () => ({ attempts: 1 })),
    /it says that there were 1/,
  ],
  [
    'a POST that is not shown',
    spoilAttempts('retried', (attempts) => attempts.slice(1)),
    /the POST dlv_\w+ is not among its attempts/,
  ],
  [
    'a retry before the time that the receiver asked for',
    ({ history, retried }) => {
      const first = postOf(history, retried);
      return { requests: replace(history.requests, first, { ...first, retryAfterSeconds: 3_600 }) };
    },
    /attempt 2 comes \d+ ms too early .* with a wait of 3600000 ms/,
  ],
  [
    'a dead letter after 7 attempts',
    spoilDelivery('deadLettered', () => ({ attempts: 7 })),
    /it is dead-lettered after 7 attempts/,
  ],
  [
    'a ninth attempt',
    spoilDelivery('deadLettered', () => ({ attempts: 9 })),
    /it is dead-lettered after 9 attempts/,
  ],
  [
    'a dead letter that was accepted',
    spoilDelivery('retried', () => ({ state: 'dead_lettered' })),
    /it is dead-lettered and was answered with 2xx/,
  ],
  [
    'a delivery that no receiver has accepted',
    spoilDelivery('deadLettered', () => ({ state: 'delivered' })),
    /LOST, it is delivered without a 2xx/,
  ],
  [
    'an attempt after the end',
    spoilDelivery('retried', ({ attempts }) => ({ finishedAt: attempts[0]?.startedAt ?? null })),
    /attempt 2 was made after its end/,
  ],
  ['an event that comes again', SENT_AGAIN, /the POST dlv_again comes after the receiver had taken it/],
];
