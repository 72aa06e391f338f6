import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { webhookExample } from '@partner/proto-contracts/resources/event-catalogue/webhook-events';
import { runWithRequestId } from '@partner/kernel/telemetry/request-context';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { failureOf } from '../../testing/subscription-fixture.js';
import { MAX_TEST_DELIVERIES, MAX_TEST_DELIVERIES_OF_COMPANY } from './send-test-delivery.js';

describe('SendTestDelivery and ActivateSubscription', () => {
  test('activates once a test was delivered, and a repeat is harmless [EVENT-4, WEBHOOK-3]', async () => {
    const subscription = await fixture.created(await fixture.company());
    const refused = await failureOf(client.activateSubscription(subscription));
    expect(refused.reason).toBe('test_delivery_required');
    expect(refused.message).toContain('send one');

    await fixture.tested(subscription, AttemptOutcome.REJECTED);
    expect((await failureOf(client.activateSubscription(subscription))).reason).toBe(
      'test_delivery_required',
    );

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
      occurredAt: '2026-08-26T14:03:00.000Z',
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
    const claimed = (await fixture.claim()).find(({ id }) => id === delivery.id);
    expect(claimed).toMatchObject({ event, isTest: true, requestId: 'req-1' });
    expect(JSON.parse(claimed?.body.toString() ?? '')).toEqual({
      ...example,
      id: eventId,
      occurredAt: fixture.now.toISOString(),
    });
    expect(await fixture.deliveriesOf(other)).toEqual([]);

    for (const refused of ['quote.sent', 'install.*', 'install.tset']) {
      expect(await failureOf(client.sendTestDelivery({ ...subscription, event: refused }))).toMatchObject({
        reason: 'invalid_argument',
        attributes: {
          details: [{ path: 'event', message: expect.stringContaining('install.job_assigned') }],
        },
      });
    }
  });

  test('sends 10 tests of one subscription within 60 s, also for concurrent requests [WEBHOOK-9]', async () => {
    const subscription = await fixture.created(await fixture.company());
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
    await spread(20);
    expect(await failureOf(client.sendTestDelivery(subscription))).toMatchObject({
      reason: 'rate_limited',
      attributes: { retryAfterSeconds: 30 },
    });
    await spread(49.5);
    expect((await failureOf(client.sendTestDelivery(subscription))).attributes.retryAfterSeconds).toBe(1);
    await spread(50);
    await client.sendTestDelivery(subscription);
    await client.sendTestDelivery(await fixture.created(subscription.companyId));
  });

  test('sends 60 tests of one company within 60 s, however many subscriptions it deletes and creates [WEBHOOK-9]', async () => {
    const companyId = await fixture.company();
    for (let sent = 0; sent < MAX_TEST_DELIVERIES_OF_COMPANY; sent += MAX_TEST_DELIVERIES) {
      const subscription = await fixture.created(companyId);
      for (let of = 0; of < MAX_TEST_DELIVERIES; of += 1) await client.sendTestDelivery(subscription);
      const deliveries = await fixture.deliveriesOf(subscription.subscriptionId);
      await fixture.finish('delivered', ...deliveries.slice(0, 5).map(({ id }) => id));
      await client.deleteSubscription(subscription);
    }
    const subscription = await fixture.created(companyId);
    const failure = await failureOf(client.sendTestDelivery(subscription));
    expect(failure).toMatchObject({ reason: 'rate_limited', attributes: { retryAfterSeconds: 60 } });
    expect(failure.message).toContain('company');
    await client.sendTestDelivery(await fixture.created(await fixture.company()));

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
