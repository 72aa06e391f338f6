import { beforeEach, describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { WEBHOOK_LIMITS } from '@partner/proto-contracts/api/limits';
import { HEADERS_VERSION, openSecret } from '@partner/kernel/security/secret-sealing';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf, type SubscriptionFixture } from '../../testing/subscription-fixture.js';
import { attemptedMessage } from '../../testing/webhook-fixture.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { MAX_TEST_DELIVERIES, MAX_TEST_DELIVERIES_OF_COMPANY } from './send-test-delivery.js';

beforeEach(() => {
  fixture.now = new Date();
});

describe('SendTestDelivery and ActivateSubscription', () => {
  test('activates once a test was delivered, and a repeat is harmless [EVENT-4, WEBHOOK-3]', async () => {
    const subscription = await fixture.newlyCreated();
    const refusal = () => failureOf(client.activateSubscription(subscription));
    const message = expect.stringContaining('send one');
    expect(await refusal()).toMatchObject({ reason: 'test_delivery_required', message });
    await fixture.tested(subscription, AttemptOutcome.REJECTED);
    expect(await refusal()).toMatchObject({ reason: 'test_delivery_required' });

    const deliveryId = await fixture.tested(subscription);
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
      occurredAt: fixture.now.toISOString(),
      resource: { type: 'webhook_subscription', id: subscription.subscriptionId, version: 1 },
      data: { subscriptionId: subscription.subscriptionId },
    });
  });

  test('sends the example of an event that the class may have, as a test [WEBHOOK-12]', async () => {
    const companyId = await fixture.company();
    const other = await fixture.subscription({ companyId });
    const subscription = await fixture.created(companyId);
    const event = 'install.schedule_changed';
    const example = webhookExample(event);
    const { eventId, ...delivery } = await runWithRequestId('req-1', () =>
      client.sendTestDelivery({ ...subscription, event }),
    );
    expect(delivery).toMatchObject({
      ...{ event, isTest: true, state: 'pending', attempts: 0 },
      resource: { id: example.resource.id },
    });
    const claimed = await fixture.claimed(delivery);
    expect(claimed).toMatchObject({ event, isTest: true, requestId: 'req-1' });
    const sent = { ...example, id: eventId, occurredAt: fixture.now.toISOString() };
    expect(JSON.parse(claimed.body.toString())).toEqual(sent);
    expect(await fixture.deliveriesOf(other)).toEqual([]);

    for (const refused of ['quote.sent', 'install.*', 'install.tset']) {
      const details = [{ path: 'event', message: expect.stringContaining('install.job_assigned') }];
      expect(await failureOf(client.sendTestDelivery({ ...subscription, event: refused }))).toMatchObject({
        reason: 'invalid_argument',
        attributes: { details },
      });
    }
  });

  test('sends 10 tests of one subscription within 60 s, also for concurrent requests [WEBHOOK-9]', async () => {
    const subscription = await fixture.newlyCreated();
    const results = await Promise.allSettled(
      Array.from({ length: 14 }, () => client.sendTestDelivery(subscription)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(MAX_TEST_DELIVERIES);
    const spread = (seconds: number) =>
      fixture.database.query(
        `update deliveries d set created_at = $2::timestamptz - make_interval(secs => $3::double precision + one.number)
         from (select id, row_number() over (order by id) as number from deliveries where subscription_id = $1) as one
         where d.id = one.id`,
        [subscription.subscriptionId, fixture.now, seconds],
      );
    for (const [age, retryAfterSeconds] of [
      [20, 30],
      [49.5, 1],
    ] as const) {
      await spread(age);
      const refusal = { reason: 'rate_limited', attributes: { retryAfterSeconds } };
      expect(await failureOf(client.sendTestDelivery(subscription))).toMatchObject(refusal);
    }
    await spread(50);
    await client.sendTestDelivery(subscription);
    await client.sendTestDelivery(await fixture.created(subscription.companyId));
  });

  test('sends 60 tests of one company within 60 s, however many subscriptions it deletes and creates [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let sent = 0; sent < MAX_TEST_DELIVERIES_OF_COMPANY; sent += MAX_TEST_DELIVERIES) {
      const subscription = await fixture.created(companyId);
      const tests = Array.from({ length: MAX_TEST_DELIVERIES }, () => client.sendTestDelivery(subscription));
      const ids = (await Promise.all(tests)).map(({ id }) => id);
      await fixture.finish('delivered', ...ids.slice(0, 5));
      await client.deleteSubscription(subscription);
    }
    const subscription = await fixture.created(companyId);
    const attributes = { retryAfterSeconds: 60 };
    const refusal = { reason: 'rate_limited', attributes, message: expect.stringContaining('company') };
    expect(await failureOf(client.sendTestDelivery(subscription))).toMatchObject(refusal);
    await client.sendTestDelivery(await fixture.newlyCreated());

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
      client.sendTestDelivery(await fixture.created(companyId)),
    ]);
    expect(rest.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });
});

const companyClass = 'INSTALLER';
const OTHER = 'https://next.receiver.example/hooks/v2';

type Test = Omit<Parameters<SubscriptionFixture['client']['sendTestDelivery']>[0], 'companyId'>;

/** Sends a test, and returns the delivery with the command for its attempt. */
async function sent(of: SubscriptionOfCompany, fields: Test) {
  const delivery = await client.sendTestDelivery({ ...of, ...fields });
  return { delivery, command: await fixture.claimed(delivery) };
}

/** Tests another URL, and reports the outcome as the dispatcher does. */
async function tested(of: SubscriptionOfCompany, fields: Test = {}, outcome = AttemptOutcome.DELIVERED) {
  const { delivery, command } = await sent(of, { url: OTHER, ...fields });
  const { leaseId, urlVersion, secretVersion } = command;
  const attempt = { deliveryId: delivery.id, leaseId, outcome, urlVersion, secretVersion };
  await fixture.handle(attemptedMessage(attempt));
  return delivery.id;
}

const switched = (of: SubscriptionOfCompany, url = OTHER) =>
  client.updateSubscription({ ...of, companyClass, url });

describe('a test of another URL', () => {
  test('goes there once, with only the headers that it names, on the same host too [WEBHOOK-15]', async () => {
    const of = await fixture.newlyActivated();
    const { subscriptionId } = of;
    const headers = [{ name: 'x-tenant', value: 'west' }];
    const before = await client.updateSubscription({ ...of, companyClass, headers });
    const owner = { ownerId: subscriptionId, version: HEADERS_VERSION };
    const headersOf = ({ sealedHeaders }: { readonly sealedHeaders: Buffer | null }) =>
      sealedHeaders && openSecret(fixture.deps.sealingKeys, owner, sealedHeaders);

    const given = await sent(of, {
      url: OTHER.toUpperCase().replace('HTTPS', 'https').replace('/HOOKS/V2', '/hooks/v2'),
      headers: [{ name: 'X-Tenant', value: 'east' }],
    });
    expect(given.delivery).toMatchObject({ isTest: true, testUrl: 'https://next.receiver.example/ho…' });
    expect(given.command).toMatchObject({ url: OTHER, isTest: true, number: null, secretVersion: 1 });
    expect(headersOf(given.command)).toBe('{"x-tenant":"east"}');
    const none = await sent(of, { url: new URL('/v2', before.url).href });
    expect(headersOf(none.command)).toBeNull();
    const current = await sent(of, {});
    expect(current.command.url).toBe(before.url);
    expect(headersOf(current.command)).toBe('{"x-tenant":"west"}');

    const refused = await tested(of, {}, AttemptOutcome.REJECTED);
    expect(await fixture.delivery(refused)).toMatchObject({ state: 'cancelled', attempts: 1 });
    expect(await client.getSubscription(of)).toMatchObject({ failuresInRow: 0, url: before.url });
    const audited = await fixture.database.query(
      `select details from audit_entries where subject_id = $1 and action = 'webhook.tested' order by id desc limit 1`,
      [subscriptionId],
    );
    expect(audited).toMatchObject([{ details: { deliveryId: refused, url: OTHER } }]);
    const stored = await fixture.database.query('select to_jsonb(t)::text as text from audit_entries t');
    expect(JSON.stringify([stored, fixture.logLines])).not.toContain('east');
  });

  test.each([
    ['the current URL', { url: 'https://RECEIVER.example/hooks' }, 'url'],
    ['a URL that the dispatcher refuses', { url: 'https://10.0.0.1/' }, 'url'],
    ['headers alone', { headers: [{ name: 'x-tenant', value: 'east' }] }, 'headers'],
    ['a header of spaces', { url: OTHER, headers: [{ name: 'x-tenant', value: ' ' }] }, 'headers.0.value'],
  ])('is refused for %s, and sends nothing [WEBHOOK-15]', async (_what, fields, path) => {
    const of = await fixture.newlyActivated();
    const before = await fixture.deliveriesOf(of.subscriptionId);
    const refusal = { reason: 'invalid_argument', attributes: { details: [{ path }] } };
    expect(await failureOf(client.sendTestDelivery({ ...of, ...fields }))).toMatchObject(refusal);
    expect(await fixture.deliveriesOf(of.subscriptionId)).toEqual(before);
  });
});

describe('a switch to a URL that accepted a test', () => {
  test('keeps an active subscription active, and a paused one paused but verified [WEBHOOK-16]', async () => {
    const companyId = await fixture.company();
    const [active, paused] = [await fixture.activated(companyId), await fixture.created(companyId)];
    for (const of of [active, paused]) await tested(of);
    expect(await switched(active)).toMatchObject({ url: OTHER, state: 'active', verified: true });
    expect(await switched(paused)).toMatchObject({ url: OTHER, state: 'paused', verified: true });
    expect(await client.activateSubscription(paused)).toMatchObject({ state: 'active' });
  });

  const age = (id: string, minutes: number) =>
    fixture.database.query(
      `update finished_deliveries set finished_at = now() - make_interval(secs => $2) where id = $1`,
      [id, minutes * 60 - 5],
    );

  test.each([
    ['at the end of the time', WEBHOOK_LIMITS.testedUrlMinutes, 'active'],
    ['later', WEBHOOK_LIMITS.testedUrlMinutes + 1, 'paused'],
  ])('counts for 15 minutes: %s [WEBHOOK-16]', async (_when, minutes, state) => {
    const of = await fixture.newlyActivated();
    await age(await tested(of), minutes);
    expect(await switched(of)).toMatchObject({ state, verified: state === 'active' });
  });

  test('pauses if the test was refused, wrongly signed, of another URL, secret or webhook, or an ordinary one [WEBHOOK-16]', async () => {
    const companyId = await fixture.company();
    const other = await fixture.created(companyId);
    const tests: Readonly<Record<string, (of: SubscriptionOfCompany) => Promise<unknown>>> = {
      refused: (of) => tested(of, {}, AttemptOutcome.TIMED_OUT),
      pending: (of) => sent(of, { url: OTHER }),
      'wrongly signed': (of) => tested(of, { wrongSignature: true }),
      'of another URL': (of) => tested(of, { url: `${OTHER}/` }),
      'of another webhook': () => tested(other),
      ordinary: (of) => fixture.tested(of),
      async 'signed with a pending secret'(of) {
        await client.rotateSecret(of);
        await tested(of, { secretVersion: 2 });
      },
      async 'signed with the former secret'(of) {
        await tested(of);
        await client.rotateSecret(of);
        await client.activateSecret({ ...of, pendingSecretVersion: 2 });
      },
    };
    for (const [name, test] of Object.entries(tests)) {
      const of = await fixture.activated(companyId);
      await test(of);
      expect([name, await switched(of)]).toMatchObject([name, { state: 'paused', verified: false }]);
    }
  });

  test('needs the stored headers again on another host, as without a test [WEBHOOK-14]', async () => {
    const of = await fixture.newlyActivated();
    const headers = [{ name: 'x-tenant', value: 'west' }];
    await client.updateSubscription({ ...of, companyClass, headers });
    await tested(of, { headers: [{ name: 'x-tenant', value: 'east' }] });
    expect(await failureOf(switched(of))).toMatchObject({ attributes: { details: [{ path: 'headers' }] } });
    const shown = { state: 'active', verified: true, headerNames: ['x-tenant'] };
    const after = await client.updateSubscription({ ...of, companyClass, url: OTHER, headers });
    expect(after).toMatchObject(shown);
  });
});
