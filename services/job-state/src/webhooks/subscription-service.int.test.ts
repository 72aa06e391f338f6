import { createClient } from '@connectrpc/connect';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { EndpointService } from '@partner/proto-contracts/gen/partner/webhooks/v1/endpoint_service_pb';
import {
  AttemptOutcome,
  DeliveryState,
  SubscriptionHealth,
  SubscriptionService,
  SubscriptionState,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { serviceErrorFrom } from '@partner/runtime/amqp/rpc-error';
import { rpcService } from '@partner/runtime/amqp/rpc-service';
import { newId } from '@partner/runtime/ids';
import { invariant } from '@partner/runtime/invariant';
import { openSecret } from '@partner/runtime/secret-sealing';
import { runWithRequestId } from '@partner/runtime/request-context';
import { ServiceError } from '@partner/runtime/service-error';
import { createInMemoryTransport } from '@partner/runtime/testing/in-memory-transport';
import { Registry } from 'prom-client';
import { claimDue } from './claim-due.js';
import { createSubscription, MAX_SUBSCRIPTIONS_PER_COMPANY } from './create-subscription.js';
import { createDeliveryResultsHandler } from './delivery-results.js';
import { MAX_TEST_DELIVERIES } from './send-test-delivery.js';
import { createSubscriptionService, type SubscriptionServiceDeps } from './subscription-service.js';
import { attemptedMessage, openWebhookFixture, type WebhookFixture } from './testing/webhook-fixture.js';

const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 100 };
const sealingKeys = { currentKeyId: 'k1', keys: new Map([['k1', Buffer.alloc(32, 7)]]) };
const now = new Date('2026-08-26T14:03:00Z');

let fixture: WebhookFixture;
let handle: ReturnType<typeof createDeliveryResultsHandler>;
const logLines: unknown[][] = [];
const checkedUrls: (string | undefined)[] = [];
let isDispatcherAway = false;
let checkTimeLeftMs: number | undefined;
let onCheck: () => void = () => undefined;

function connect() {
  const endpoints = createClient(
    EndpointService,
    createInMemoryTransport([
      rpcService(EndpointService, {
        checkEndpoint({ url }, context) {
          checkTimeLeftMs = context.timeoutMs();
          onCheck();
          if (isDispatcherAway) throw new ServiceError('unavailable', 'no answer in time');
          checkedUrls.push(url);
          return url?.toLowerCase().includes('receiver') === true
            ? { allowed: true, normalizedUrl: url.toLowerCase() }
            : { allowed: false, refusal: 'must lead to a public address' };
        },
      }),
    ]),
  );
  deps = {
    database: fixture.database,
    endpoints,
    sealingKeys,
    logger: { info: (...line: unknown[]) => void logLines.push(line) },
    clock: () => now,
  };
  const service = createSubscriptionService(deps);
  return createClient(
    SubscriptionService,
    createInMemoryTransport([rpcService(SubscriptionService, service)]),
  );
}
let deps: SubscriptionServiceDeps;
let client: ReturnType<typeof connect>;

beforeAll(async () => {
  fixture = await openWebhookFixture();
  client = connect();
  handle = createDeliveryResultsHandler({
    database: fixture.database,
    logger: { warn: () => undefined },
    metrics: new Registry(),
    retryBaseMs: 60_000,
    random: () => 0,
  });
});

afterAll(async () => {
  await fixture.close();
});

async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  return call.then(
    () => {
      throw new Error('the call did not fail');
    },
    (thrown: unknown) => serviceErrorFrom(thrown),
  );
}

async function created(companyId: string) {
  const { subscription } = await client.createSubscription({
    companyId,
    companyClass: CompanyClass.INSTALLER,
    url: 'https://receiver.example/hooks',
    events: ['install.*'],
  });
  invariant(subscription?.id, 'a subscription was made');
  return { companyId, subscriptionId: subscription.id };
}

/** Sends a test, and lets the dispatcher report how it ended. */
async function tested(
  of: { companyId: string; subscriptionId: string },
  outcome = AttemptOutcome.DELIVERED,
  urlVersion = 1,
) {
  const { delivery } = await client.sendTestDelivery(of);
  invariant(delivery?.id, 'a test was queued');
  const claimed = (await claimDue(fixture.database, LIMITS)).find(({ id }) => id === delivery.id);
  invariant(claimed, 'the test is due, also while the subscription is paused');
  await handle(attemptedMessage({ deliveryId: delivery.id, leaseId: claimed.leaseId, outcome, urlVersion }));
  return delivery.id;
}

describe('CreateSubscription', () => {
  test('makes a paused subscription at the normalised URL, with a secret that is kept sealed', async () => {
    const companyId = await fixture.company();
    const answer = await client.createSubscription({
      companyId,
      companyClass: CompanyClass.INSTALLER,
      url: 'https://Receiver.example/hooks',
      events: ['install.status_changed', 'install.test', 'install.status_changed'],
      description: 'our dispatch board',
    });
    expect(answer.subscription).toMatchObject({
      url: 'https://receiver.example/hooks',
      description: 'our dispatch board',
      events: ['install.status_changed', 'install.test'],
      schemaVersion: 1,
      state: SubscriptionState.PAUSED,
      health: SubscriptionHealth.HEALTHY,
      secretVersion: 1,
      verified: false,
    });
    expect(answer.subscription?.pendingSecretVersion).toBeUndefined();
    expect(answer.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    const subscriptionId = answer.subscription?.id ?? '';
    const [stored] = await fixture.database.query<{ sealed: Buffer }>(
      'select sealed from subscription_secrets where subscription_id = $1 and version = 1',
      [subscriptionId],
    );
    invariant(stored, 'the secret is kept');
    expect(openSecret(sealingKeys, { subscriptionId, version: 1 }, stored.sealed)).toBe(answer.secret);
    expect(logLines).toContainEqual([
      expect.objectContaining({ subscriptionId, companyId }),
      'subscription.created',
    ]);
    expect(JSON.stringify(logLines)).not.toContain('whsec_');
    expect((await client.getSubscription({ companyId, subscriptionId })).subscription).toEqual(
      answer.subscription,
    );
  });

  test('refuses an event that the class may not have, before it asks about the URL', async () => {
    const companyId = await fixture.company('SALES');
    checkedUrls.length = 0;
    const failure = await failureOf(
      client.createSubscription({
        companyId,
        companyClass: CompanyClass.SALES,
        url: 'https://receiver.example/',
        events: ['quote.sent', 'install.status_changed', 'journal.*'],
      }),
    );
    expect(failure).toMatchObject({ reason: 'invalid_argument' });
    expect(failure.attributes.details?.map(({ path }) => path)).toEqual(['events.1', 'events.2']);
    expect(failure.message).toMatch(/^events\.1: .*quote\.sent/);
    expect(checkedUrls).toEqual([]);
  });

  test('refuses a URL with the words of the dispatcher', async () => {
    const companyId = await fixture.company();
    const failure = await failureOf(
      client.createSubscription({
        companyId,
        companyClass: CompanyClass.INSTALLER,
        url: 'https://10.0.0.1/',
        events: ['install.*'],
      }),
    );
    expect(failure).toMatchObject({
      reason: 'invalid_argument',
      attributes: { details: [{ path: 'url', message: 'must lead to a public address' }] },
    });
  });

  test('is unavailable and makes nothing while the dispatcher is away', async () => {
    const companyId = await fixture.company();
    isDispatcherAway = true;
    const failure = await failureOf(created(companyId));
    isDispatcherAway = false;
    expect(failure).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
    expect((await client.listSubscriptions({ companyId })).subscriptions).toEqual([]);
  });

  test('asks about the URL for less time than its caller waits, and makes nothing for one who has gone', async () => {
    const companyId = await fixture.company();
    const request = {
      companyId,
      companyClass: CompanyClass.INSTALLER,
      url: 'https://receiver.example/',
      events: ['install.*'],
    };
    await client.createSubscription(request, { timeoutMs: 5_000 });
    expect(checkTimeLeftMs).toBeGreaterThan(0);
    expect(checkTimeLeftMs).toBeLessThanOrEqual(4_500);

    const toCreate = {
      companyId,
      companyClass: 'INSTALLER',
      url: request.url,
      events: request.events,
      description: undefined,
      schemaVersion: undefined,
    } as const;
    let leftMs = 5_000;
    onCheck = () => {
      leftMs = -1;
    };
    const failure = await failureOf(
      createSubscription(deps, toCreate, { timeoutMs: () => leftMs, signal: new AbortController().signal }),
    );
    onCheck = () => undefined;
    expect(failure).toMatchObject({
      reason: 'unavailable',
      message: expect.stringContaining('nothing was created'),
    });
    expect((await client.listSubscriptions({ companyId })).subscriptions).toHaveLength(1);
  });

  test.each([
    { events: [] },
    { events: ['install.*'], schemaVersion: 2 },
    { events: ['install.*'], schemaVersion: 0 },
    { events: ['install.*'], description: 'x'.repeat(201) },
    { events: ['install.*'], url: '' },
    { events: ['install.*'], companyClass: CompanyClass.UNSPECIFIED },
  ])('refuses %j', async (request) => {
    const companyId = await fixture.company();
    const failure = await failureOf(
      client.createSubscription({
        companyId,
        companyClass: CompanyClass.INSTALLER,
        url: 'https://receiver.example/',
        ...request,
      }),
    );
    expect(failure.reason).toBe('invalid_argument');
  });

  test('stops at the bound, also when many are created at once', async () => {
    const companyId = await fixture.company();
    for (let made = 2; made < MAX_SUBSCRIPTIONS_PER_COMPANY; made += 1)
      await fixture.subscription({ companyId });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => created(companyId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const { subscriptions } = await client.listSubscriptions({ companyId });
    expect(subscriptions).toHaveLength(MAX_SUBSCRIPTIONS_PER_COMPANY);
  });

  test('finds no company that does not exist', async () => {
    expect(await failureOf(created(newId('cmp')))).toMatchObject({ reason: 'not_found' });
  });
});

describe('SendTestDelivery and ActivateSubscription', () => {
  test('activates once a test was delivered, and again without harm', async () => {
    const subscription = await created(await fixture.company());
    const refused = await failureOf(client.activateSubscription(subscription));
    expect(refused.reason).toBe('test_delivery_required');
    expect(refused.message).toContain('send one');

    await tested(subscription, AttemptOutcome.REJECTED);
    expect((await failureOf(client.activateSubscription(subscription))).reason).toBe(
      'test_delivery_required',
    );

    const deliveryId = await tested(subscription);
    expect((await client.getSubscription(subscription)).subscription?.verified).toBe(true);
    const { subscription: active } = await client.activateSubscription(subscription);
    expect(active).toMatchObject({ state: SubscriptionState.ACTIVE, verified: true });
    expect((await client.activateSubscription(subscription)).subscription).toEqual(active);
    expect(logLines.filter(([, line]) => line === 'subscription.activated')).toHaveLength(1);

    const { delivery, body } = await client.getDelivery({ companyId: subscription.companyId, deliveryId });
    expect(delivery).toMatchObject({ event: 'install.test', state: DeliveryState.DELIVERED });
    expect(JSON.parse(Buffer.from(body ?? []).toString())).toMatchObject({
      event: 'install.test',
      occurredAt: '2026-08-26T14:03:00.000Z',
      resource: { type: 'webhook_subscription', id: subscription.subscriptionId, version: 1 },
      data: { subscriptionId: subscription.subscriptionId },
    });
  });

  test('does not take a test of a former URL', async () => {
    const subscription = await created(await fixture.company());
    await fixture.database.query('update subscriptions set url_version = 2 where id = $1', [
      subscription.subscriptionId,
    ]);
    await tested(subscription, AttemptOutcome.DELIVERED, 1);
    expect((await failureOf(client.activateSubscription(subscription))).reason).toBe(
      'test_delivery_required',
    );
    await tested(subscription, AttemptOutcome.DELIVERED, 2);
    await client.activateSubscription(subscription);
  });

  test('sends the test to that subscription alone', async () => {
    const companyId = await fixture.company();
    const other = await fixture.subscription({ companyId, events: ['install.test'] });
    const subscription = await created(companyId);
    const { delivery } = await runWithRequestId('req-1', () => client.sendTestDelivery(subscription));
    const events = await fixture.database.query('select request_id from events where id = $1', [
      delivery?.eventId,
    ]);
    expect(events).toEqual([{ request_id: 'req-1' }]);
    expect(delivery).toMatchObject({
      subscriptionId: subscription.subscriptionId,
      event: 'install.test',
      state: DeliveryState.PENDING,
      attempts: 0,
      resourceType: 'webhook_subscription',
      resourceId: subscription.subscriptionId,
    });
    expect(await fixture.deliveriesOf(other)).toEqual([]);
    expect((await fixture.deliveriesOf(subscription.subscriptionId)).map((row) => row.is_test)).toEqual([
      true,
    ]);
  });

  test('sends 10 tests of one subscription within 60 s, also when many are sent at once', async () => {
    const subscription = await created(await fixture.company());
    const results = await Promise.allSettled(
      Array.from({ length: 14 }, () => client.sendTestDelivery(subscription)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_TEST_DELIVERIES);
    const spread = (seconds: number) =>
      fixture.database.query(
        `update deliveries d set created_at = $2::timestamptz - make_interval(secs => $3::double precision + number)
         from (select id, row_number() over (order by id) as number from deliveries where subscription_id = $1) as one
         where d.id = one.id`,
        [subscription.subscriptionId, now, seconds],
      );
    await spread(20);
    expect(await failureOf(client.sendTestDelivery(subscription))).toMatchObject({
      reason: 'rate_limited',
      attributes: { retryAfterSeconds: 30 },
    });
    await spread(49.5);
    expect((await failureOf(client.sendTestDelivery(subscription))).attributes.retryAfterSeconds).toBe(1);
    await spread(50);
    await client.sendTestDelivery(subscription);
    await client.sendTestDelivery(await created(subscription.companyId));
  });

  test('lets held deliveries go on, each at its time', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    await fixture.event(companyId);
    await fixture.event(companyId);
    const [first, second] = await fixture.deliveriesOf(subscriptionId);
    invariant(first && second, 'two deliveries');
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 3, next_attempt_at = now() + interval '1 hour' where id = $1`,
      [second.id],
    );
    await fixture.setState(subscriptionId, 'paused');
    await claimDue(fixture.database, LIMITS);
    await fixture.database.query(`update deliveries set state = 'held' where id = $1`, [second.id]);
    expect((await fixture.delivery(first.id)).state).toBe('held');
    const held = await client.getDelivery({ companyId, deliveryId: second.id });
    expect(held.delivery).toMatchObject({ state: DeliveryState.HELD });
    expect(held.delivery?.nextAttemptAt).toBeUndefined();

    await client.activateSubscription({ companyId, subscriptionId });
    expect(await fixture.delivery(first.id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await fixture.delivery(second.id)).toMatchObject({ state: 'retry_scheduled', attempts: 3 });
    const claimed = (await claimDue(fixture.database, LIMITS)).map(({ id }) => id);
    expect(claimed).toContain(first.id);
    expect(claimed).not.toContain(second.id);
  });

  test('leaves nothing held when deliveries become held while it activates', async () => {
    for (let round = 0; round < 10; round += 1) {
      const companyId = await fixture.company();
      const subscriptionId = await fixture.subscription({ companyId });
      for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
      const claimed = await claimDue(fixture.database, { ...LIMITS, batchSize: 2 });
      await fixture.setState(subscriptionId, 'paused');
      await Promise.all([
        ...claimed.map(({ id, leaseId }) =>
          handle(attemptedMessage({ deliveryId: id, leaseId, outcome: AttemptOutcome.REJECTED })),
        ),
        claimDue(fixture.database, { ...LIMITS, batchSize: 1 }),
        client.activateSubscription({ companyId, subscriptionId }),
        claimDue(fixture.database, { ...LIMITS, batchSize: 1 }),
      ]);
      const states = (await fixture.deliveriesOf(subscriptionId)).map(({ state }) => state);
      expect(states).not.toContain('held');
    }
  });
});

describe('ListDeliveries and GetDelivery', () => {
  test('lists pages from the newest to the oldest, each delivery once', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    for (let event = 0; event < 7; event += 1) await fixture.event(companyId);
    const all = (await fixture.deliveriesOf(subscriptionId)).map(({ id }) => id).reverse();

    const seen: (string | undefined)[] = [];
    let beforeDeliveryId: string | undefined;
    let hasMore = true;
    while (hasMore) {
      const page = await client.listDeliveries({
        companyId,
        subscriptionId,
        limit: 3,
        ...(beforeDeliveryId !== undefined && { beforeDeliveryId }),
      });
      seen.push(...page.deliveries.map(({ id }) => id));
      beforeDeliveryId = seen.at(-1);
      hasMore = page.hasMore ?? false;
      if (seen.length === 3) await fixture.event(companyId);
    }
    expect(seen).toEqual(all);
  });

  test('lists by state', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    await fixture.event(companyId);
    await fixture.event(companyId);
    const [first] = await fixture.deliveriesOf(subscriptionId);
    await fixture.database.query(`update deliveries set state = 'dead_lettered' where id = $1`, [first?.id]);
    const { deliveries, hasMore } = await client.listDeliveries({
      companyId,
      subscriptionId,
      state: DeliveryState.DEAD_LETTERED,
    });
    expect(deliveries.map(({ id }) => id)).toEqual([first?.id]);
    expect(hasMore).toBe(false);
    for (const request of [{ limit: 0 }, { limit: 101 }, { state: DeliveryState.UNSPECIFIED }]) {
      const failure = await failureOf(client.listDeliveries({ companyId, subscriptionId, ...request }));
      expect(failure.reason).toBe('invalid_argument');
    }
  });

  test('finds a delivery by its own id and by the id of any attempt, with the attempts in their order', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    const eventId = await fixture.event(companyId);
    const [stored] = await fixture.deliveriesOf(subscriptionId);
    invariant(stored, 'one delivery');
    const claimed = (await claimDue(fixture.database, LIMITS)).find(({ id }) => id === stored.id);
    const [firstId, secondId] = [newId('dlv'), newId('dlv')];
    const deliveryId = stored.id;
    const leaseId = claimed?.leaseId ?? null;
    await handle(
      attemptedMessage({
        deliveryId,
        leaseId,
        attemptId: secondId,
        number: 2,
        startedAt: new Date('2026-08-26T14:00:02Z'),
      }),
    );
    await handle(
      attemptedMessage({
        deliveryId,
        leaseId: 'former',
        attemptId: firstId,
        startedAt: new Date('2026-08-26T14:00:01Z'),
        outcome: AttemptOutcome.TLS_FAILED,
        error: 'the certificate has expired',
      }),
    );
    const byId = await client.getDelivery({ companyId, deliveryId });
    expect(byId.delivery).toMatchObject({ id: deliveryId, eventId, state: DeliveryState.DELIVERED });
    expect(byId.delivery?.finishedAt).toBeDefined();
    expect(byId.attempts).toMatchObject([
      { deliveryId: firstId, outcome: AttemptOutcome.TLS_FAILED, error: 'the certificate has expired' },
      { deliveryId: secondId, outcome: AttemptOutcome.DELIVERED, responseStatus: 204, number: 2 },
    ]);
    expect(Buffer.from(byId.attempts[1]?.responseBody ?? []).toString()).toBe('kept');
    expect(Buffer.from(byId.body ?? []).toString()).toContain(eventId);
    expect(await client.getDelivery({ companyId, deliveryId: firstId })).toEqual(byId);
    expect(await client.getDelivery({ companyId, deliveryId: secondId })).toEqual(byId);
  });
});

describe('another company', () => {
  test('finds nothing of a company, by whatever id', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    await fixture.event(companyId);
    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    invariant(delivery, 'one delivery');
    const claimed = (await claimDue(fixture.database, LIMITS)).find(({ id }) => id === delivery.id);
    const attemptId = newId('dlv');
    await handle(attemptedMessage({ deliveryId: delivery.id, leaseId: claimed?.leaseId ?? null, attemptId }));

    const stranger = { companyId: await fixture.company(), subscriptionId };
    const calls = [
      client.getSubscription(stranger),
      client.sendTestDelivery(stranger),
      client.activateSubscription(stranger),
      client.listDeliveries(stranger),
      client.getDelivery({ companyId: stranger.companyId, deliveryId: delivery.id }),
      client.getDelivery({ companyId: stranger.companyId, deliveryId: attemptId }),
    ];
    for (const call of calls) expect((await failureOf(call)).reason).toBe('not_found');
    expect((await client.listSubscriptions({ companyId: stranger.companyId })).subscriptions).toEqual([]);
    const events = await fixture.database.query('select 1 from events where company_id = $1', [
      stranger.companyId,
    ]);
    expect(events).toEqual([]);
  });
});

describe('ListSubscriptions', () => {
  test('lists all of a company, oldest first', async () => {
    const companyId = await fixture.company();
    const ids = [];
    for (let made = 0; made < 3; made += 1) ids.push((await created(companyId)).subscriptionId);
    const { subscriptions } = await client.listSubscriptions({ companyId });
    expect(subscriptions.map(({ id }) => id)).toEqual(ids);
  });
});

describe('an RPC that reads', () => {
  test.each(['listSubscriptions', 'getSubscription', 'listDeliveries', 'getDelivery'] as const)(
    '%s gives the database no more time than its caller waits',
    async (method) => {
      const given: (number | undefined)[] = [];
      const service = createSubscriptionService({
        ...deps,
        database: {
          transaction: (work, limits) => fixture.database.transaction(work, limits),
          query: (text, values, limits) => {
            given.push(limits?.timeoutMs);
            return fixture.database.query(text, values, limits);
          },
        },
      });
      const client = createClient(
        SubscriptionService,
        createInMemoryTransport([rpcService(SubscriptionService, service)]),
      );
      const nothing = { companyId: newId('cmp'), subscriptionId: newId('whk'), deliveryId: newId('dlv') };
      await client[method](nothing, { timeoutMs: 4_000 }).catch((error: unknown) => {
        expect(serviceErrorFrom(error).reason).toBe('not_found');
      });
      expect(given.length).toBeGreaterThan(0);
      for (const timeoutMs of given) expect(timeoutMs).toBeLessThanOrEqual(4_000);
    },
  );
});
