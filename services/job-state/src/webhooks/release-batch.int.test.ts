import '@partner/runtime/telemetry/start';
import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { DeliverWebhookSchema } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/runtime/invariant';
import { silentLogger } from '@partner/runtime/logger';
import { runWithRequestId } from '@partner/runtime/request-context';
import { createInMemoryPublisher } from '@partner/runtime/testing/in-memory-publisher';
import { withSpan } from '@partner/runtime/telemetry/tracing';
import { Registry } from 'prom-client';
import { claimDue, type ClaimedDelivery } from './claim-due.js';
import { createReleaseMetrics } from './delivery-metrics.js';
import { releaseBatch } from './release-batch.js';
import { openWebhookFixture, type WebhookFixture } from './testing/webhook-fixture.js';

const LIMITS = {
  batchSize: 100,
  leaseSeconds: 30,
  inFlight: 1_000,
  subscriptionCap: 20,
  returnAfterMs: 60_000,
};

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await openWebhookFixture();
});

beforeEach(async () => {
  await fixture.database.query('delete from deliveries');
});

afterAll(async () => {
  await fixture.close();
});

/** Releases what is due, with a publisher and metrics of its own. */
function release(limits: Partial<typeof LIMITS> = {}, fail = false) {
  const publisher = createInMemoryPublisher();
  if (fail) publisher.failWith('not-connected');
  const registry = new Registry();
  const metrics = createReleaseMetrics(registry, fixture.database);
  const done = releaseBatch(
    { database: fixture.database, publisher, logger: silentLogger, metrics },
    { ...LIMITS, ...limits },
  );
  return { done, publisher, registry };
}

async function subscriptionWithEvents(count: number, state: 'active' | 'paused' = 'active') {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  for (let event = 0; event < count; event += 1) await fixture.event(companyId);
  await fixture.setState(subscriptionId, state);
  return { companyId, subscriptionId, deliveries: await fixture.deliveriesOf(subscriptionId) };
}

async function metric(registry: Registry, name: string): Promise<number | undefined> {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values[0]?.value;
}

describe('releaseBatch', () => {
  test('publishes all that an attempt needs, under a lease, in the trace of the event', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    const { eventId, traceId } = await withSpan({ name: 'test', kind: 'SERVER' }, async (span) => ({
      eventId: await runWithRequestId('req-1', () => fixture.event(companyId)),
      traceId: span.spanContext().traceId,
    }));
    const { done, publisher } = release();
    expect(await done).toMatchObject({ released: 1, failed: 0 });

    const [delivery] = await fixture.deliveriesOf(subscriptionId);
    const [event] = await fixture.database.query<{ body: Buffer }>('select body from events where id = $1', [
      eventId,
    ]);
    const [message] = publisher.published.all();
    invariant(delivery && event && message, 'one delivery was published');
    expect(message).toMatchObject({
      exchange: { name: 'partner.commands' },
      routingKey: 'webhook-dispatcher.deliveries',
      type: 'partner.webhooks.v1.DeliverWebhook',
      messageId: delivery.lease_id,
    });
    expect(message.headers?.['traceparent']).toContain(traceId);
    expect(message.headers?.['x-request-id']).toBe('req-1');
    const command = fromBinary(DeliverWebhookSchema, message.body);
    expect(command).toMatchObject({
      deliveryId: delivery.id,
      subscriptionId,
      leaseId: delivery.lease_id,
      attempt: 1,
      url: `https://receiver.test/${subscriptionId}`,
      urlVersion: 1,
      eventId,
      event: 'install.status_changed',
      secretVersion: 1,
    });
    expect(Buffer.from(command.body ?? []).equals(event.body)).toBe(true);
    expect(Buffer.from(command.sealedSecret ?? []).toString('hex')).toBe('5ea1ed');
    invariant(command.leaseExpiresAt && command.leasedAt, 'the lease has a beginning and an end');
    expect(timestampDate(command.leaseExpiresAt).getTime() - timestampDate(command.leasedAt).getTime()).toBe(
      30_000,
    );
    expect(timestampDate(command.leaseExpiresAt)).toEqual(delivery.next_attempt_at);
    expect(delivery.wait_ms).toBeGreaterThan(0);
    expect(delivery.wait_ms).toBeLessThanOrEqual(30_000);
  });

  test('names no request for an event that none has made', async () => {
    await subscriptionWithEvents(1);
    const { done, publisher } = release();
    await done;
    expect(publisher.published.all()[0]?.headers).not.toHaveProperty('x-request-id');
  });

  test('leaves a leased delivery alone until the lease ends, then releases it under a new lease', async () => {
    const { deliveries } = await subscriptionWithEvents(1);
    const [{ id } = { id: '' }] = deliveries;
    expect(await release().done).toMatchObject({ released: 1 });
    const first = await fixture.delivery(id);
    expect(await release().done).toMatchObject({ released: 0 });

    await fixture.makeDue(id);
    const again = release();
    expect(await again.done).toMatchObject({ released: 1 });
    const second = await fixture.delivery(id);
    expect(second.lease_id).not.toBe(first.lease_id);
    expect(second).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await metric(again.registry, 'partner_webhook_lease_expiries_total')).toBe(1);
  });

  test('signs with the present version of the secret', async () => {
    const { subscriptionId } = await subscriptionWithEvents(1);
    await fixture.database.query(
      `with secret as (insert into subscription_secrets (subscription_id, version, sealed) values ($1, 2, '\\x02'), ($1, 3, '\\x03'))
       update subscriptions set secret_version = 2, pending_secret_version = 3 where id = $1`,
      [subscriptionId],
    );
    const { done, publisher } = release();
    await done;
    const [message] = publisher.published.all();
    expect(fromBinary(DeliverWebhookSchema, message?.body ?? new Uint8Array())).toMatchObject({
      secretVersion: 2,
      sealedSecret: Uint8Array.of(2),
    });
  });

  test('gives back what the broker did not take, with its attempts, due again a little later', async () => {
    const { deliveries } = await subscriptionWithEvents(3);
    const failing = release({}, true);
    expect(await failing.done).toMatchObject({ released: 0, failed: 3 });
    for (const { id } of deliveries) {
      const delivery = await fixture.delivery(id);
      expect(delivery).toMatchObject({ state: 'pending', attempts: 0, lease_id: null });
      expect(delivery.wait_ms).toBeGreaterThan(0);
    }
    expect(await release().done).toMatchObject({ released: 0 });
    await fixture.makeDue(...deliveries.map(({ id }) => id));
    const again = release();
    expect(await again.done).toMatchObject({ released: 3 });
    expect(await metric(again.registry, 'partner_webhook_lease_expiries_total')).toBe(0);
  });

  test('takes the oldest first, no more than the batch', async () => {
    const { deliveries } = await subscriptionWithEvents(5);
    for (const [index, { id }] of deliveries.entries()) {
      await fixture.database.query(
        `update deliveries set next_attempt_at = now() - make_interval(mins => $2) where id = $1`,
        [id, [3, 5, 1, 4, 2][index]],
      );
    }
    const claimed = await claimDue(fixture.database, { ...LIMITS, batchSize: 2 });
    expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([deliveries[1]?.id, deliveries[3]?.id]));
    const rest = await claimDue(fixture.database, LIMITS);
    expect(rest).toHaveLength(3);
  });

  test('keeps one subscription to its cap, whatever its backlog, and lets the others pass', async () => {
    const busy = await subscriptionWithEvents(8);
    const quiet = await subscriptionWithEvents(1);
    const ofBusy = (claimed: readonly ClaimedDelivery[]) =>
      claimed.filter(({ subscriptionId }) => subscriptionId === busy.subscriptionId);

    const first = await claimDue(fixture.database, { ...LIMITS, batchSize: 4, subscriptionCap: 3 });
    expect(ofBusy(first)).toHaveLength(3);
    expect(first.map(({ subscriptionId }) => subscriptionId)).toContain(quiet.subscriptionId);
    expect(await claimDue(fixture.database, { ...LIMITS, subscriptionCap: 3 })).toEqual([]);

    const [ended, lost] = ofBusy(first);
    invariant(ended && lost, 'three are under way');
    await fixture.database.query(`update deliveries set state = 'delivered', lease_id = null where id = $1`, [
      ended.id,
    ]);
    await fixture.makeDue(lost.id);
    expect(ofBusy(await claimDue(fixture.database, { ...LIMITS, subscriptionCap: 3 }))).toHaveLength(2);
  });

  test('releases for a healthy subscription at once, however many others hang with a backlog', async () => {
    const limits = { ...LIMITS, batchSize: 200, inFlight: 40, subscriptionCap: 2 };
    for (let hanging = 0; hanging < 25; hanging += 1) await subscriptionWithEvents(4);
    const underWay: ClaimedDelivery[] = [];
    for (let batch = 0; batch < 3; batch += 1) underWay.push(...(await claimDue(fixture.database, limits)));
    // Three quarters of the room; the rest is for whoever has nothing under way.
    expect(underWay).toHaveLength(30);
    expect(new Set(underWay.map(({ subscriptionId }) => subscriptionId)).size).toBe(25);

    const healthy = await subscriptionWithEvents(3);
    const next = await claimDue(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([healthy.subscriptionId]);
  });

  test('keeps what is under way to the bound, whosever it is', async () => {
    const limits = { ...LIMITS, inFlight: 4 };
    for (let subscription = 0; subscription < 6; subscription += 1) await subscriptionWithEvents(1);
    const [first] = await claimDue(fixture.database, limits);
    expect(await fixture.leases()).toBe(4);
    expect(await claimDue(fixture.database, limits)).toEqual([]);
    await fixture.database.query(`update deliveries set state = 'delivered', lease_id = null where id = $1`, [
      first?.id,
    ]);
    expect(await claimDue(fixture.database, limits)).toHaveLength(1);
  });

  test('takes first attempts before the retries of the same subscription', async () => {
    const { deliveries } = await subscriptionWithEvents(3);
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() - interval '1 hour'
       where id = $1`,
      [deliveries[0]?.id],
    );
    const limits = { ...LIMITS, batchSize: 2 };
    expect(new Set((await claimDue(fixture.database, limits)).map(({ id }) => id))).toEqual(
      new Set([deliveries[1]?.id, deliveries[2]?.id]),
    );
    expect((await claimDue(fixture.database, limits)).map(({ id }) => id)).toEqual([deliveries[0]?.id]);
  });

  test('never gives one delivery to two schedulers', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => subscriptionWithEvents(10)));
    const all = subscriptions.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    const claimed: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const batches = await Promise.all(
        Array.from({ length: 6 }, () => claimDue(fixture.database, { ...LIMITS, batchSize: 7 })),
      );
      claimed.push(...batches.flatMap((batch) => batch.map(({ id }) => id)));
    }
    const rest = await claimDue(fixture.database, LIMITS);
    claimed.push(...rest.map(({ id }) => id));
    expect(claimed).toHaveLength(new Set(claimed).size);
    expect(new Set(claimed)).toEqual(new Set(all));
  });

  test('holds what belongs to a paused subscription, but releases its tests', async () => {
    const { subscriptionId, deliveries } = await subscriptionWithEvents(3, 'paused');
    const test = deliveries[1];
    invariant(test, 'there are three deliveries');
    await fixture.database.query('update deliveries set is_test = true where id = $1', [test.id]);
    const { done, publisher } = release();
    expect(await done).toMatchObject({ released: 1 });
    const [message] = publisher.published.all();
    expect(fromBinary(DeliverWebhookSchema, message?.body ?? new Uint8Array()).deliveryId).toBe(test.id);
    const states = (await fixture.deliveriesOf(subscriptionId)).map(({ state }) => state);
    expect(states).toEqual(['held', 'pending', 'held']);
    expect(await release().done).toMatchObject({ released: 0 });
  });

  test('tells for how long the oldest due delivery has waited', async () => {
    const registry = new Registry();
    createReleaseMetrics(registry, fixture.database);
    expect(await metric(registry, 'partner_webhook_oldest_due_seconds')).toBe(0);
    const { deliveries } = await subscriptionWithEvents(2);
    await fixture.database.query(
      `update deliveries set next_attempt_at = now() - interval '1 hour' where id = $1`,
      [deliveries[1]?.id],
    );
    const age = await metric(registry, 'partner_webhook_oldest_due_seconds');
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(await release().done).toMatchObject({ released: 2 });
    expect(await metric(registry, 'partner_webhook_oldest_due_seconds')).toBe(0);
  });
});
