import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CompanyClass } from '@partner/proto-contracts/gen/partner/access/v1/access_service_pb';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { SubscriptionService } from '@partner/proto-contracts/gen/partner/webhooks/v1/subscription_service_pb';
import { serviceErrorFrom } from '@partner/kernel/amqp/rpc-error';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { runWithRequestId } from '@partner/kernel/request-context';
import { openSecret } from '@partner/kernel/secret-sealing';
import {
  failureOf,
  openSubscriptionFixture,
  type SubscriptionFixture,
  watchTransactions,
} from '../../testing/subscription-fixture.js';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/resources/subscription/subscription';
import { createSubscription } from './create-subscription.js';
import { MAX_TEST_DELIVERIES, MAX_TEST_DELIVERIES_OF_COMPANY } from './send-test-delivery.js';

let fixture: SubscriptionFixture;
let client: SubscriptionFixture['client'];

beforeAll(async () => {
  fixture = await openSubscriptionFixture();
  ({ client } = fixture);
});

afterAll(async () => {
  await fixture.close();
});

const created: SubscriptionFixture['created'] = (companyId) => fixture.created(companyId);
const tested: SubscriptionFixture['tested'] = (...test) => fixture.tested(...test);

describe('CreateSubscription', () => {
  test('creates a paused subscription at the normalised URL, with a secret that is stored sealed [SECRET-7, WEBHOOK-1, WEBHOOK-4, WEBHOOK-11]', async () => {
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
      state: 'paused',
      health: 'healthy',
      secretVersion: 1,
      verified: false,
    });
    expect(answer.subscription.pendingSecretVersion).toBeNull();
    expect(answer.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);

    const subscriptionId = answer.subscription.id;
    const [stored] = await fixture.database.query<{ sealed: Buffer }>(
      'select sealed from subscription_secrets where subscription_id = $1 and version = 1',
      [subscriptionId],
    );
    invariant(stored, 'the secret is kept');
    expect(openSecret(fixture.deps.sealingKeys, { subscriptionId, version: 1 }, stored.sealed)).toBe(
      answer.secret,
    );
    expect(fixture.logLines).toContainEqual([
      expect.objectContaining({ subscriptionId, companyId }),
      'subscription.created',
    ]);
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
    expect(await client.getSubscription({ companyId, subscriptionId })).toEqual(answer.subscription);
  });

  test('rejects a disallowed event before it checks the URL', async () => {
    const companyId = await fixture.company('SALES');
    fixture.dispatcher.calls.length = 0;
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
    expect(fixture.dispatcher.calls).toEqual([]);
  });

  test("rejects a URL with the dispatcher's message", async () => {
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

  test('is unavailable and creates nothing while the dispatcher is down', async () => {
    const companyId = await fixture.company();
    fixture.dispatcher.isAway = true;
    const failure = await failureOf(created(companyId));
    fixture.dispatcher.isAway = false;
    expect(failure).toMatchObject({ reason: 'unavailable', attributes: { retryAfterSeconds: 1 } });
    expect((await client.listSubscriptions({ companyId })).subscriptions).toEqual([]);
  });

  test("checks the URL for less time than its caller's deadline, and creates nothing after the deadline", async () => {
    const companyId = await fixture.company();
    const request = {
      companyId,
      companyClass: CompanyClass.INSTALLER,
      url: 'https://receiver.example/',
      events: ['install.*'],
    };
    await client.createSubscription(request, { timeoutMs: 5_000 });
    expect(fixture.dispatcher.timeLeftMs).toBeGreaterThan(0);
    expect(fixture.dispatcher.timeLeftMs).toBeLessThanOrEqual(4_500);

    const toCreate = {
      companyId,
      companyClass: 'INSTALLER',
      url: request.url,
      events: request.events,
      description: undefined,
      schemaVersion: undefined,
    } as const;
    let leftMs = 5_000;
    fixture.dispatcher.onCall = () => {
      leftMs = -1;
    };
    const failure = await failureOf(
      createSubscription(fixture.deps, toCreate, {
        timeoutMs: () => leftMs,
        signal: new AbortController().signal,
      }),
    );
    fixture.dispatcher.onCall = () => undefined;
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

  test('stops at the limit, also for concurrent requests [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let made = 2; made < WEBHOOK_LIMITS.subscriptionsPerCompany; made += 1)
      await fixture.subscription({ companyId });
    const results = await Promise.allSettled(Array.from({ length: 6 }, () => created(companyId)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    fixture.dispatcher.calls.length = 0;
    expect(await failureOf(created(companyId))).toMatchObject({
      reason: 'subscription_limit_reached',
      message: expect.stringContaining(
        `at most ${WEBHOOK_LIMITS.subscriptionsPerCompany} webhook subscriptions`,
      ),
    });
    expect(fixture.dispatcher.calls).toEqual([]);
    const { subscriptions } = await client.listSubscriptions({ companyId });
    expect(subscriptions).toHaveLength(WEBHOOK_LIMITS.subscriptionsPerCompany);
  });

  test('is not found for an unknown company', async () => {
    expect(await failureOf(created(newId('cmp')))).toMatchObject({ reason: 'not_found' });
  });
});

describe('SendTestDelivery and ActivateSubscription', () => {
  test('activates once a test was delivered, and a repeat is harmless [EVENT-4, WEBHOOK-3]', async () => {
    const subscription = await created(await fixture.company());
    const refused = await failureOf(client.activateSubscription(subscription));
    expect(refused.reason).toBe('test_delivery_required');
    expect(refused.message).toContain('send one');

    await tested(subscription, AttemptOutcome.REJECTED);
    expect((await failureOf(client.activateSubscription(subscription))).reason).toBe(
      'test_delivery_required',
    );

    const deliveryId = await tested(subscription);
    expect((await client.getSubscription(subscription)).verified).toBe(true);
    const active = await client.activateSubscription(subscription);
    expect(active).toMatchObject({ state: 'active', verified: true });
    expect(await client.activateSubscription(subscription)).toEqual(active);
    expect(fixture.logLines.filter(([, line]) => line === 'subscription.activated')).toHaveLength(1);

    const [sent] = await fixture.database.query<{ state: string; event: string; body: Buffer }>(
      'select d.state, d.event, e.body from all_deliveries d join events e on e.id = d.event_id where d.id = $1',
      [deliveryId],
    );
    expect(sent).toMatchObject({ event: 'install.test', state: 'delivered' });
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
      event: 'install.test',
      occurredAt: '2026-08-26T14:03:00.000Z',
      resource: { type: 'webhook_subscription', id: subscription.subscriptionId, version: 1 },
      data: { subscriptionId: subscription.subscriptionId },
    });
  });

  test('ignores a test of a former URL [WEBHOOK-6]', async () => {
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

  test('sends the test only to that subscription [EVENT-4]', async () => {
    const companyId = await fixture.company();
    const other = await fixture.subscription({ companyId, events: ['install.test'] });
    const subscription = await created(companyId);
    const delivery = await runWithRequestId('req-1', () => client.sendTestDelivery(subscription));
    const events = await fixture.database.query('select request_id from events where id = $1', [
      delivery.eventId,
    ]);
    expect(events).toEqual([{ request_id: 'req-1' }]);
    expect(delivery).toMatchObject({
      subscriptionId: subscription.subscriptionId,
      event: 'install.test',
      state: 'pending',
      attempts: 0,
      resource: { type: 'webhook_subscription', id: subscription.subscriptionId },
    });
    expect(await fixture.deliveriesOf(other)).toEqual([]);
    expect((await fixture.deliveriesOf(subscription.subscriptionId)).map((row) => row.is_test)).toEqual([
      true,
    ]);
  });

  test('sends 10 tests of one subscription within 60 s, also for concurrent requests [WEBHOOK-9]', async () => {
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
        [subscription.subscriptionId, fixture.now, seconds],
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

  test('sends 60 tests of one company within 60 s, however many subscriptions it deletes and creates [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let sent = 0; sent < MAX_TEST_DELIVERIES_OF_COMPANY; sent += MAX_TEST_DELIVERIES) {
      const subscription = await created(companyId);
      for (let of = 0; of < MAX_TEST_DELIVERIES; of += 1) await client.sendTestDelivery(subscription);
      const deliveries = await fixture.deliveriesOf(subscription.subscriptionId);
      await fixture.finish('delivered', ...deliveries.slice(0, 5).map(({ id }) => id));
      await client.deleteSubscription(subscription);
    }
    const subscription = await created(companyId);
    const failure = await failureOf(client.sendTestDelivery(subscription));
    expect(failure).toMatchObject({ reason: 'rate_limited', attributes: { retryAfterSeconds: 60 } });
    expect(failure.message).toContain('company');
    await client.sendTestDelivery(await created(await fixture.company()));

    for (const table of ['deliveries', 'finished_deliveries']) {
      await fixture.database.query(
        `update ${table} set created_at = $2::timestamptz - interval '59.5 s' where company_id = $1`,
        [companyId, fixture.now],
      );
    }
    expect((await failureOf(client.sendTestDelivery(subscription))).attributes.retryAfterSeconds).toBe(1);
    await fixture.database.query(
      `update finished_deliveries set created_at = $2::timestamptz - interval '60 s'
       where id = (select max(id) from finished_deliveries where company_id = $1)`,
      [companyId, fixture.now],
    );
    const rest = await Promise.allSettled([
      client.sendTestDelivery(subscription),
      client.sendTestDelivery(await created(companyId)),
    ]);
    expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

describe('another company', () => {
  test('finds nothing of a company by any RPC, and changes nothing', async () => {
    const of = await fixture.activated(await fixture.company());
    const stranger = { companyId: await fixture.company(), subscriptionId: of.subscriptionId };
    const subscription = await rowOf(of);
    fixture.dispatcher.calls.length = 0;

    const calls = {
      getSubscription: () => client.getSubscription(stranger),
      updateSubscription: () =>
        client.updateSubscription({
          ...stranger,
          companyClass: CompanyClass.INSTALLER,
          url: 'https://receiver.example/theirs',
        }),
      deleteSubscription: () => client.deleteSubscription(stranger),
      sendTestDelivery: () => client.sendTestDelivery(stranger),
      activateSubscription: () => client.activateSubscription({ ...stranger, backfill: true }),
      pauseSubscription: () => client.pauseSubscription(stranger),
      rotateSecret: () => client.rotateSecret(stranger),
      activateSecret: () => client.activateSecret({ ...stranger, pendingSecretVersion: 1 }),
    };
    const others = ['checkUrl', 'createSubscription', 'listSubscriptions'];
    expect([...Object.keys(calls), ...others].sort()).toEqual(
      SubscriptionService.methods.map(({ localName }) => localName).sort(),
    );
    for (const call of Object.values(calls)) expect((await failureOf(call())).reason).toBe('not_found');
    expect((await client.listSubscriptions({ companyId: stranger.companyId })).subscriptions).toEqual([]);
    expect(await rowOf(of)).toEqual(subscription);
    expect(fixture.dispatcher.calls).toEqual([]);
    const events = await fixture.database.query('select 1 from events where company_id = $1', [
      stranger.companyId,
    ]);
    expect(events).toEqual([]);
  });
});

/** A stored subscription with its secrets. */
function rowOf({ subscriptionId }: { subscriptionId: string }) {
  return fixture.database.query(
    `select s.*, array(select secret from subscription_secrets secret where secret.subscription_id = s.id) as secrets
     from subscriptions s where s.id = $1`,
    [subscriptionId],
  );
}

describe('ListSubscriptions', () => {
  test('lists all of a company, oldest first', async () => {
    const companyId = await fixture.company();
    const ids = [];
    for (let made = 0; made < 3; made += 1) ids.push((await created(companyId)).subscriptionId);
    const { subscriptions } = await client.listSubscriptions({ companyId });
    expect(subscriptions.map(({ id }) => id)).toEqual(ids);
  });
});

describe('the health of a subscription', () => {
  test.each([
    { failed: 3, delivered: 2, minutesAgo: 50, health: 'degraded' },
    { failed: 3, delivered: 3, minutesAgo: 50, health: 'healthy' },
    { failed: 2, delivered: 0, minutesAgo: 50, health: 'healthy' },
    { failed: 9, delivered: 0, minutesAgo: 65, health: 'healthy' },
  ])(
    'with $failed failed and $delivered delivered attempts, $minutesAgo minutes ago, is $health [DELIVERY-12]',
    async ({ failed, delivered, minutesAgo, health }) => {
      const companyId = await fixture.company();
      const { subscriptionId } = await created(companyId);
      // In two parts, which count together.
      await fixture.database.query(
        `insert into delivery_statistics (subscription_id, starts_at, delivered, failed, dead_lettered, durations)
         select $1, now() - make_interval(mins => $2 - part), case part when 0 then $3 else 0 end, case part when 0 then 0 else $4 end, 0, array_fill(0, array[15])
         from generate_series(0, 1) as part`,
        [subscriptionId, minutesAgo, delivered, failed],
      );
      expect(await client.getSubscription({ companyId, subscriptionId })).toMatchObject({ health });
      const { subscriptions } = await client.listSubscriptions({ companyId });
      expect(subscriptions).toMatchObject([{ health }]);
    },
  );
});

describe('an RPC that reads', () => {
  test.each(['listSubscriptions', 'getSubscription'] as const)(
    "%s limits the database to its caller's deadline",
    async (method) => {
      const given: (number | undefined)[] = [];
      const watched = fixture.clientWith({
        database: {
          transaction: (work, limits) => fixture.database.transaction(work, limits),
          query: (text, values, limits) => {
            given.push(limits?.timeoutMs);
            return fixture.database.query(text, values, limits);
          },
        },
      });
      const nothing = { companyId: newId('cmp'), subscriptionId: newId('whk') };
      await watched[method](nothing, { timeoutMs: 4_000 }).catch((error: unknown) => {
        expect(serviceErrorFrom(error).reason).toBe('not_found');
      });
      expect(given.length).toBeGreaterThan(0);
      for (const timeoutMs of given) expect(timeoutMs).toBeLessThanOrEqual(4_000);
    },
  );
});

describe('an RPC that writes', () => {
  test("takes a slot of its company only, ends by its caller's deadline, and logs its caller", async () => {
    const given: Parameters<Parameters<typeof watchTransactions>[1]>[0][] = [];
    const watched = fixture.clientWith({
      database: watchTransactions(fixture.database, (limits) => given.push(limits)),
    });
    const companyId = await fixture.company();
    const { subscriptionId } = await created(companyId);
    const of = { companyId, subscriptionId, actingMembershipId: 'mem_olive' };
    const changed = { ...of, companyClass: CompanyClass.INSTALLER, url: 'https://receiver.example/2' };
    const created2 = { ...changed, events: ['install.*'] };
    fixture.logLines.length = 0;

    const limits = { timeoutMs: 4_000 };
    await watched.createSubscription(created2, limits);
    await watched.sendTestDelivery(of, limits);
    await tested({ companyId, subscriptionId });
    await watched.activateSubscription(of, limits);
    await watched.pauseSubscription(of, limits);
    await watched.updateSubscription({ ...changed, events: { patterns: ['install.test'] } }, limits);
    await watched.rotateSecret(of, limits);
    await watched.activateSecret({ ...of, pendingSecretVersion: 2 }, limits);
    await watched.deleteSubscription(of, limits);

    expect(given).toHaveLength(8);
    for (const each of given) {
      expect(each?.companyId).toBe(companyId);
      expect(each?.timeoutMs).toBeLessThanOrEqual(4_000);
    }
    const lines = fixture.logLines.filter(([fields]) => JSON.stringify(fields).includes('mem_olive'));
    expect(lines.map(([, message]) => message)).toEqual([
      'subscription.created',
      'subscription.test_queued',
      'subscription.activated',
      'subscription.paused',
      'subscription.updated',
      'subscription.secret_rotated',
      'subscription.secret_activated',
      'subscription.deleted',
    ]);
    for (const [fields] of lines.slice(1)) {
      expect(fields).toMatchObject({ subscriptionId, companyId, membershipId: 'mem_olive' });
    }
    expect(JSON.stringify(fixture.logLines)).not.toContain('whsec_');
  });
});
