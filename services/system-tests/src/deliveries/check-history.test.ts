import { describe, expect, test } from '@jest/globals';
import type { TimedWebhook } from '../support/webhook-receiver.js';
import { checkHistory } from './check-history.js';
import type { DeliveryHistory, ShownDelivery, SubscriptionHistory } from './delivery-history.js';
import {
  ACTIVE_AT,
  attemptOf,
  deliver,
  eventAt,
  goodHistory,
  PAUSED_AT,
  postOf,
  START,
  writeAt,
} from './testing/good-history.js';

type Change = (before: DeliveryHistory) => Partial<DeliveryHistory>;

/** With another delivery of the event at this place, counted from 1. */
function delivery(place: number, change: (before: ShownDelivery) => ShownDelivery): Change {
  return ({ deliveries }) => ({
    deliveries: deliveries.map((shown) =>
      shown.delivery.eventId === `evt_${place}` ? change(shown) : shown,
    ),
  });
}

/** With another POST under this delivery id. */
function post(attemptId: string, change: (before: TimedWebhook) => Partial<TimedWebhook>): Change {
  return ({ requests }) => ({
    requests: requests.map((one) =>
      one.headers['x-svc-delivery-id'] === attemptId ? { ...one, ...change(one) } : one,
    ),
  });
}

function header(name: string, value: string): (before: TimedWebhook) => Partial<TimedWebhook> {
  return ({ headers }) => ({ headers: { ...headers, [name]: value } });
}

/** With one more POST. */
function morePosts(...more: readonly TimedWebhook[]): Change {
  return ({ requests }) => ({ requests: [...requests, ...more] });
}

/** With another history of the subscription. */
function subscribed(change: (before: SubscriptionHistory) => Partial<SubscriptionHistory>): Change {
  return ({ subscriptions }) => ({ subscriptions: subscriptions.map((one) => ({ ...one, ...change(one) })) });
}

function all(...changes: readonly Change[]): Change {
  return (before) =>
    changes.reduce<DeliveryHistory>((history, change) => ({ ...history, ...change(history) }), before);
}

/** Of event 2 the attempts change. */
function attempts(change: (before: ShownDelivery['attempts']) => ShownDelivery['attempts']): Change {
  return delivery(2, (shown) => ({ ...shown, attempts: change(shown.attempts) }));
}

/** One more event with its write and its delivery, as if all were right. */
function moreEvent(place: number, sentAt: number, startsAt: number): Change {
  const { shown, requests } = deliver(eventAt(place), startsAt, [204]);
  return (before) => ({
    writes: [...before.writes, writeAt(place, sentAt)],
    events: [...before.events, eventAt(place)],
    deliveries: [...before.deliveries, shown],
    requests: [...before.requests, ...requests],
  });
}

/** The second secret is activated at a time. */
const activatedAt = (at: number): Change =>
  subscribed(({ secrets }) => ({
    secrets: secrets.map((one) =>
      one.version === 2 ? { ...one, activation: { sentAt: at, answeredAt: at + 10 } } : one,
    ),
  }));

const movedAt = (at: number): Change =>
  subscribed(({ paths }) => ({ paths: [...paths, { path: '/b', sentAt: at, answeredAt: at + 10 }] }));

const again = postOf(eventAt(1), { attemptId: 'dlv_again', startsAt: START + 5_000, status: 204 });

const FAULTS: readonly (readonly [what: string, change: Change, found: RegExp])[] = [
  [
    'an acknowledged write without an event',
    ({ writes }) => ({ writes: [...writes, writeAt(9, START)] }),
    /job_1 at version 9: LOST/,
  ],
  [
    'a write with two events',
    ({ events }) => ({ events: [...events, { ...eventAt(1), id: 'evt_1b' }] }),
    /one write has made 2 events/,
  ],
  [
    'an event that no write has made',
    ({ writes }) => ({ writes: writes.slice(1) }),
    /evt_1 .* no write has made it/,
  ],
  [
    'an event of the wrong company',
    ({ events }) => ({ events: events.map((event) => ({ ...event, companyId: 'cmp_2' })) }),
    /it is told to cmp_2/,
  ],
  [
    'a body that tells of another version',
    ({ events }) => ({
      events: events.map((event) => (event.id === 'evt_1' ? { ...event, body: eventAt(2).body } : event)),
    }),
    /its body says/,
  ],
  [
    'an event without a delivery',
    ({ deliveries }) => ({ deliveries: deliveries.slice(1) }),
    /evt_1 .* LOST, it has no delivery/,
  ],
  [
    'an event with two deliveries',
    ({ deliveries }) => ({ deliveries: deliveries.flatMap((shown) => [shown, shown]) }),
    /it has 2 deliveries/,
  ],
  [
    'a delivery that never ended',
    delivery(1, (shown) => ({ ...shown, delivery: { ...shown.delivery, state: 'retry_scheduled' } })),
    /it is still retry_scheduled/,
  ],
  [
    'a delivery of an event that is not there',
    delivery(1, (shown) => ({ ...shown, delivery: { ...shown.delivery, eventId: 'evt_0' } })),
    /there is no event evt_0/,
  ],
  [
    'an event that was not subscribed to',
    subscribed(() => ({ events: ['install.schedule_changed'] })),
    /it has 1 deliveries and was to have none/,
  ],
  [
    'an event that was queued in a pause',
    moreEvent(5, PAUSED_AT + 12_000, PAUSED_AT + 13_000),
    /it was queued while the subscription was paused/,
  ],
  [
    'an event of a pause that was not asked for',
    subscribed(({ states }) => ({ states: states.map((change) => ({ ...change, backfill: false })) })),
    /evt_4 .* was to have none/,
  ],
  [
    'an event of a pause that was not back-filled',
    ({ deliveries }) => ({ deliveries: deliveries.slice(0, 3) }),
    /evt_4 .* LOST/,
  ],
  [
    'a POST during a pause',
    post('dlv_1a1', () =>
      postOf(eventAt(1), { attemptId: 'dlv_1a1', startsAt: PAUSED_AT + 12_000, status: 204 }),
    ),
    /the subscription was paused/,
  ],
  ['a POST to nobody', post('dlv_1a1', () => ({ path: '/z' })), /the URL of no subscription/],
  [
    'an event of another company at the URL',
    ({ subscriptions }) => ({ subscriptions: subscriptions.map((one) => ({ ...one, companyId: 'cmp_2' })) }),
    /another company/,
  ],
  [
    'other bytes on a retry',
    post('dlv_2a2', ({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) })),
    /its body is not that of event evt_2/,
  ],
  ['a delivery id that comes twice', morePosts(again, again), /its delivery id was seen before/],
  ['a POST without a delivery id', post('dlv_1a1', header('x-svc-delivery-id', '')), /it has no delivery id/],
  [
    'the name of another event',
    post('dlv_1a1', header('x-svc-event', 'install.test')),
    /x-svc-event is install\.test/,
  ],
  ['the id of another event', post('dlv_1a1', header('webhook-id', 'evt_2')), /webhook-id is evt_2/],
  [
    'another content type',
    post('dlv_1a1', header('content-type', 'text/plain')),
    /content-type is text\/plain/,
  ],
  [
    'an old timestamp',
    post('dlv_1a1', () => ({ receivedAt: START + 400_000 })),
    /its timestamp is \d+ ms old/,
  ],
  [
    'the timestamp of the attempt before',
    post('dlv_3a8', () => postOf(eventAt(3), { attemptId: 'dlv_3a8', startsAt: START + 3_000, status: 404 })),
    /has a timestamp that is not its own/,
  ],
  [
    'a signature with another version',
    post('dlv_1a1', () =>
      postOf(eventAt(1), { attemptId: 'dlv_1a1', startsAt: START + 1_000, status: 204, signedWith: 2 }),
    ),
    /states version 1 of the secret, and x-svc-signature is of version 2/,
  ],
  [
    'a signature with no version',
    post('dlv_1a1', header('x-svc-signature', 'v1=00')),
    /x-svc-signature is of version none/,
  ],
  [
    'a wrong Standard Webhooks signature',
    post('dlv_1a1', header('webhook-signature', 'v1,00')),
    /webhook-signature is of version none/,
  ],
  [
    'the pending secret before its activation',
    all(
      activatedAt(START + 20_000),
      post('dlv_1a1', () =>
        postOf(eventAt(1), { attemptId: 'dlv_1a1', startsAt: START + 1_000, status: 204, version: 2 }),
      ),
    ),
    /version 2 of the secret was not the one to sign with/,
  ],
  [
    'the former secret for an event after the activation',
    activatedAt(START + 500),
    /dlv_1a1 .* version 1 of the secret was not the one to sign with/,
  ],
  [
    'the former secret long after the activation',
    all(
      activatedAt(START + 1_000),
      morePosts({
        ...again,
        ...postOf(eventAt(1), { attemptId: 'dlv_late', startsAt: START + 20_000, status: 500 }),
      }),
    ),
    /dlv_late .* version 1 of the secret was not the one to sign with/,
  ],
  [
    'the former URL for an event after the change',
    movedAt(START + 500),
    /dlv_1a1 to \/a: that was not the URL to send to/,
  ],
  [
    'the new URL before the change',
    all(
      movedAt(START + 20_000),
      post('dlv_1a1', () => ({ path: '/b' })),
    ),
    /dlv_1a1 to \/b: that was not the URL to send to/,
  ],
  [
    'a POST without a delivery',
    all(
      subscribed(() => ({ events: [] })),
      ({ deliveries }) => ({ deliveries: deliveries.slice(1) }),
    ),
    /no delivery stands for it/,
  ],
  [
    'an attempt that was never made',
    ({ requests }) => ({ requests: requests.slice(1) }),
    /attempt 1 \(dlv_1a1, delivered\) was never made/,
  ],
  [
    'an attempt with the end of another',
    post('dlv_2a1', () => ({ answeredStatus: 503 })),
    /attempt 1 .* was answered 503 and not 500/,
  ],
  [
    'a delivered attempt that was refused',
    delivery(1, (shown) => ({
      ...shown,
      attempts: shown.attempts.map((attempt) => ({ ...attempt, outcome: 'rejected' })),
    })),
    /attempt 1 .* was answered 204/,
  ],
  [
    'an answer that was not heard',
    attempts((before) =>
      before.map((attempt) => (attempt.number === 1 ? { ...attempt, outcome: 'timed_out' } : attempt)),
    ),
    /attempt 1 .*timed_out\) was answered 500/,
  ],
  [
    'an attempt with the POST of another event',
    all(delivery(1, (shown) => ({ ...shown, attempts: [attemptOf('dlv_2a3', 1, START + 2_325, 204)] }))),
    /sent event evt_2/,
  ],
  [
    'another version of the secret than that which has signed',
    attempts((before) => before.map((attempt) => ({ ...attempt, secretVersion: 2 }))),
    /is said to be signed with version 2/,
  ],
  [
    'a number that is left out',
    attempts((before) => before.map((one) => (one.number === 3 ? { ...one, number: 4 } : one))),
    /its attempts are numbered 1, 2, 4/,
  ],
  [
    'a count of attempts that is not theirs',
    delivery(2, (shown) => ({ ...shown, delivery: { ...shown.delivery, attempts: 2 } })),
    /it says that there were 2/,
  ],
  [
    'a POST that is not shown',
    attempts((before) => before.filter(({ number }) => number !== 2)),
    /the POST dlv_2a2 is not among its attempts/,
  ],
  [
    'a retry before its time',
    all(
      attempts((before) =>
        before.map((one) =>
          one.number === 3 ? { ...one, startedAt: new Date(START + 2_300).toISOString() } : one,
        ),
      ),
    ),
    /attempt 3 comes \d+ ms too early/,
  ],
  [
    'a retry before the time that the receiver asked for',
    post('dlv_2a1', () => ({ retryAfterSeconds: 1 })),
    /attempt 2 comes \d+ ms too early .* with a wait of 1000 ms/,
  ],
  [
    'a dead letter after 7 attempts',
    delivery(3, (shown) => ({
      ...shown,
      delivery: { ...shown.delivery, attempts: 7 },
      attempts: shown.attempts.slice(0, 7),
    })),
    /it is dead-lettered after 7 attempts/,
  ],
  [
    'a ninth attempt',
    delivery(3, (shown) => ({
      ...shown,
      delivery: { ...shown.delivery, attempts: 9 },
      attempts: [...shown.attempts, attemptOf('dlv_9', 9, START + 40_000, 500)],
    })),
    /it is dead-lettered after 9 attempts/,
  ],
  [
    'a dead letter that was taken',
    delivery(2, (shown) => ({ ...shown, delivery: { ...shown.delivery, state: 'dead_lettered' } })),
    /it is dead-lettered and was answered with 2xx/,
  ],
  [
    'a delivery that nobody has taken',
    delivery(3, (shown) => ({ ...shown, delivery: { ...shown.delivery, state: 'delivered' } })),
    /LOST, it is delivered without a 2xx/,
  ],
  [
    'an attempt after the end',
    delivery(2, (shown) => ({
      ...shown,
      delivery: { ...shown.delivery, finishedAt: new Date(START + 2_200).toISOString() },
    })),
    /attempt 3 was made after its end/,
  ],
  ['an event that comes again', morePosts(again), /the POST dlv_again comes after the receiver had taken it/],
];

describe('the checker of delivery histories', () => {
  test('finds nothing in a history that is right', () => {
    expect(checkHistory(goodHistory())).toEqual([]);
  });

  test.each(FAULTS)('finds %s', (_what, change, found) => {
    const history = goodHistory();
    expect(checkHistory({ ...history, ...change(history) }).join('\n')).toMatch(found);
  });

  test.each<readonly [string, Change]>([
    [
      'an event that is delivered before the answer to a pause',
      moreEvent(5, PAUSED_AT - 30, PAUSED_AT + 500),
    ],
    ['an event on the border of an activation', moreEvent(5, ACTIVE_AT - 5, ACTIVE_AT + 500)],
    ['the new secret after its activation', activatedAt(START + 20_000)],
    ['what was claimed before a change of the URL', movedAt(START + 9_000)],
  ])('finds nothing in %s', (_what, change) => {
    const history = goodHistory();
    const faults = checkHistory({ ...history, ...change(history) });
    expect(faults.filter((fault) => !fault.includes('evt_4') && !fault.includes('dlv_4'))).toEqual([]);
  });

  test('allows a second POST and a result that is lost across an unsettled time alone', () => {
    const history = goodHistory();
    const requests = [...history.requests, again];
    const during = { from: START + 1_000, to: START + 6_000 };
    const before = { from: START - 2_000, to: START - 1_000 };
    expect(checkHistory({ ...history, requests, unsettled: [during] })).toEqual([]);
    expect(checkHistory({ ...history, requests, unsettled: [before] })).not.toEqual([]);
  });

  test.each(['LOST', 'other bytes', 'early'])('allows nothing else across it: %s', (what) => {
    const changes: Readonly<Record<string, Change>> = {
      LOST: ({ deliveries }) => ({ deliveries: deliveries.slice(1) }),
      'other bytes': post('dlv_2a2', ({ body }) => ({ body: Buffer.concat([body, Buffer.from(' ')]) })),
      early: attempts((before) =>
        before.map((one) =>
          one.number === 3 ? { ...one, startedAt: new Date(START + 2_300).toISOString() } : one,
        ),
      ),
    };
    const history = { ...goodHistory(), unsettled: [{ from: 0, to: Infinity }] };
    expect(checkHistory({ ...history, ...changes[what]?.(history) })).not.toEqual([]);
  });
});
