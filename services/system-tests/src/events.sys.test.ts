import { createHmac } from 'node:crypto';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { QuoteSentSchema } from '@partner/proto-contracts/gen/partner/platform/v1/platform_messages_pb';
import {
  type CompanyClassName,
  EVENT_CATALOGUE,
  type EventName,
  eventsMatching,
  isEventName,
} from '@partner/proto-contracts/public-api/webhook-events';
import { newId } from '@partner/kernel/ids';
import { eventually } from '@partner/test-kit/eventually';
import { Webhook } from 'standardwebhooks';
import { type Cause, EVENT_CAUSES } from './events/event-causes.js';
import {
  createEventWorld,
  EVERY_PATTERN,
  type EventCompany,
  type EventSubscription,
  type EventWorld,
  groupsOf,
} from './events/event-world.js';
import { startTestStack, type TestStack } from './support/test-stack.js';
import type { ReceivedWebhook } from './support/webhook-receiver.js';

const CLASSES = ['SALES', 'INSTALLER', 'ACCOUNTING'] as const;
const EVENTS = Object.keys(EVENT_CATALOGUE).filter(isEventName);

/** Every event with every cause of it. */
const CASES: readonly (readonly [EventName, string, Cause<EventName>])[] = EVENTS.flatMap((event) =>
  Object.entries(EVENT_CAUSES[event]).map(([name, cause]) => [event, name, cause] as const),
);

let stack: TestStack;
let world: EventWorld;

beforeAll(async () => {
  stack = await startTestStack({});
  world = await createEventWorld(stack);
});

afterAll(async () => {
  await stack.stop();
});

const receivedAt = ({ path }: EventSubscription): readonly ReceivedWebhook[] =>
  stack.receiver.received.filter((webhook) => webhook.path === path);

/** The one company of those with an active subscription that is to hear of an event. */
function receiverOf(event: EventName): EventCompany {
  // Any class may have the test on demand; the cause sends it to the installer company.
  const companyClass = event === 'install.test' ? 'INSTALLER' : EVENT_CATALOGUE[event].classes[0];
  if (companyClass === undefined) throw new Error(`nobody may have ${event}`);
  return world.companies[companyClass].own;
}

const others = (): readonly EventCompany[] =>
  CLASSES.flatMap((companyClass) => [world.companies[companyClass].other]);

/** What a subscription was sent, but for tests. */
const eventsAt = (subscription: EventSubscription): readonly string[] =>
  receivedAt(subscription)
    .map(({ envelope }) => envelope.event)
    .filter((event) => event !== 'install.test');

/** Deliveries that were ever queued, but for tests: whoever has none has got nothing and will get nothing. */
async function countDeliveries(subscriptionId: string): Promise<number> {
  const { rows } = await stack.database.query<{ count: number }>(
    'select count(*)::integer as count from all_deliveries where subscription_id = $1 and not is_test',
    [subscriptionId],
  );
  return rows[0]?.count ?? 0;
}

function expectSigned({ headers, body }: ReceivedWebhook, secret: string): void {
  const texts = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value)] as const),
  );
  const signed = createHmac('sha256', secret)
    .update(`${texts['x-svc-timestamp'] ?? ''}.`)
    .update(body);
  expect(texts['x-svc-signature']).toBe(`v1=${signed.digest('hex')}`);
  expect(() => new Webhook(secret).verify(body, texts)).not.toThrow();
}

describe('the server of the company that it concerns, and no other, gets', () => {
  test.each(CASES)('%s, caused by %s [EVENT-3, EVENT-4, EVENT-5]', async (event, _name, cause) => {
    const began = Date.now();
    const receivedBefore = stack.receiver.received.length;
    const told = await cause(stack, world);
    const { subscription } = receiverOf(event);
    // The test that the subscription was activated with came before.
    const itsWebhooks = () =>
      stack.receiver.received
        .slice(receivedBefore)
        .filter(
          ({ path, envelope }) =>
            path === subscription.path &&
            envelope.event === event &&
            envelope.resource.id === told.resource.id &&
            envelope.resource.version === told.resource.version,
        );
    await stack.receiver.waitUntil(`${event} at ${subscription.path}`, () => itsWebhooks().length > 0);
    const found = itsWebhooks();
    expect(new Set(found.map(({ envelope }) => envelope.id)).size).toBe(1);
    const [webhook] = found;
    if (webhook === undefined) throw new Error('not received');

    expect(JSON.parse(webhook.body.toString('utf8'))).toEqual({
      id: expect.stringMatching(/^evt_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
      event,
      apiVersion: '2026-08-26',
      schemaVersion: 1,
      occurredAt: told.occurredAt ?? expect.any(String),
      resource: told.resource,
      data: told.data,
    });
    const occurredAt = Date.parse(webhook.envelope.occurredAt);
    expect(occurredAt).toBeGreaterThan(began - 300_000);
    expect(occurredAt).toBeLessThanOrEqual(Date.now());
    expect(webhook.headers).toMatchObject({
      'content-type': 'application/json',
      'x-svc-event': event,
      'x-svc-secret-version': '1',
      'webhook-id': webhook.envelope.id,
    });
    expectSigned(webhook, subscription.secret);
  });

  test('what its class may have, even when the database makes its subscription name everything', async () => {
    for (const companyClass of CLASSES) {
      const { own } = world.companies[companyClass];
      await stack.receiver.waitUntil(
        `the same at ${own.forced.path} as at ${own.subscription.path}`,
        () => eventsAt(own.forced).length >= eventsAt(own.subscription).length,
      );
      const events = eventsAt(own.subscription);
      expect(new Set(events)).toEqual(
        new Set(EVENTS.filter((event) => event !== 'install.test' && receiverOf(event) === own)),
      );
      expect([...eventsAt(own.forced)].sort()).toEqual([...events].sort());
    }
  });

  test('nothing of what happens to another company of its class', async () => {
    for (const { subscription, forced } of others()) {
      expect(await countDeliveries(subscription.id)).toBe(0);
      expect(await countDeliveries(forced.id)).toBe(0);
      expect([...eventsAt(subscription), ...eventsAt(forced)]).toEqual([]);
    }
  });
});

describe('an event that a class of companies may not have', () => {
  const forbiddenTo = (companyClass: CompanyClassName): readonly string[] =>
    EVERY_PATTERN.filter(
      (pattern) =>
        eventsMatching(pattern, companyClass).length === 0 ||
        (pattern.endsWith('.*') && !groupsOf(companyClass).includes(pattern)),
    );

  test.each(
    CLASSES.flatMap((companyClass) =>
      forbiddenTo(companyClass).map((event) => [companyClass, event] as const),
    ),
  )('is refused to a subscription of a company of class %s: %s [EVENT-5]', async (companyClass, event) => {
    const { owner, subscription } = world.companies[companyClass].own;
    const events = [...groupsOf(companyClass), event];
    const refusal = { error: expect.stringContaining(`events.${events.length - 1}`) };
    const created = await owner.call('POST', '/partner-api/webhooks', { url: stack.receiverUrl, events });
    expect([created.status, created.json]).toMatchObject([400, refusal]);
    const changed = await owner.call('PATCH', `/partner-api/webhooks/${subscription.id}`, { events });
    expect([changed.status, changed.json]).toMatchObject([400, refusal]);
  });

  test('is not queued for a company that has come to be of such a class, and the trail says why', async () => {
    const { own } = world.companies.SALES;
    const before = await countDeliveries(own.forced.id);
    const quoteId = newId('quo');
    await stack.database.query(`update companies set class = 'ACCOUNTING' where id = $1`, [own.id]);
    await stack.publishFromPlatform(QuoteSentSchema, {
      quoteId,
      version: 1,
      projectId: world.projectId,
      total: { amountMinor: '1', currency: 'USD' },
      occurredAt: timestampFromDate(new Date()),
    });
    const event = await eventually('the event is recorded', async () => {
      const { rows } = await stack.database.query<{ not_queued: unknown }>(
        'select not_queued from events where resource_id = $1',
        [quoteId],
      );
      return rows[0];
    });
    expect(event.not_queued).toEqual({ [own.subscription.id]: 'class', [own.forced.id]: 'class' });
    expect(await countDeliveries(own.forced.id)).toBe(before);
    await stack.database.query(`update companies set class = 'SALES' where id = $1`, [own.id]);
  });
});
