import '@partner/kernel/telemetry/start';
import { fromBinary } from '@bufbuild/protobuf';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type DeliverWebhook,
  DeliverWebhooksSchema,
} from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { invariant } from '@partner/kernel/invariant';
import { silentLogger } from '@partner/kernel/logger';
import { runWithRequestId } from '@partner/kernel/request-context';
import { createInMemoryPublisher, type InMemoryPublisher } from '@partner/kernel/testing/in-memory-publisher';
import { withSpan } from '@partner/kernel/telemetry/tracing';
import { Registry } from 'prom-client';
import { type ClaimedDelivery, endExpiredLeases, findWaiting } from './claim-due.js';
import { claimAll } from '../../testing/claim-all.js';
import { createReleaseMetrics } from './release-metrics.js';
import { publishClaimed } from './release-batch.js';
import { openWebhookFixture, type WebhookFixture } from '../../testing/webhook-fixture.js';

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
  const metrics = createReleaseMetrics(registry, fixture.database, LIMITS);
  const done = claimAll(fixture.database, { ...LIMITS, ...limits }).then((claimed) =>
    publishClaimed(
      { database: fixture.database, publisher, logger: silentLogger, metrics },
      claimed,
      limits.returnAfterMs ?? LIMITS.returnAfterMs,
    ),
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

/** The commands that were published, message by message. */
function commandsIn(publisher: InMemoryPublisher): readonly (readonly DeliverWebhook[])[] {
  return publisher.published.all().map(({ body }) => fromBinary(DeliverWebhooksSchema, body).deliveries);
}

/** Makes endpoints failing, as five failed attempts in a row would. */
async function setFailing(...subscriptionIds: readonly string[]): Promise<void> {
  await fixture.database.query('update subscriptions set failures_in_row = 5 where id = any($1::text[])', [
    subscriptionIds,
  ]);
}

/** Ends a delivery as a delivered attempt would. */
async function finish(id: string | undefined): Promise<void> {
  await fixture.database.query('delete from deliveries where id = $1', [id]);
}

async function metric(registry: Registry, name: string): Promise<number | undefined> {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values[0]?.value;
}

describe('deliveries that are due', () => {
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
      type: 'partner.webhooks.v1.DeliverWebhooks',
      messageId: delivery.lease_id,
    });
    const [[command] = []] = commandsIn(publisher);
    invariant(command, 'the message has a command');
    expect(command.traceParent).toContain(traceId);
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
      requestId: 'req-1',
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
    expect(commandsIn(publisher)[0]?.[0]?.requestId).toBeUndefined();
  });

  test('leaves a leased delivery alone until the lease ends, then releases it under a new lease', async () => {
    const { deliveries } = await subscriptionWithEvents(1);
    const [{ id } = { id: '' }] = deliveries;
    expect(await release().done).toMatchObject({ released: 1 });
    const first = await fixture.delivery(id);
    expect(await release().done).toMatchObject({ released: 0 });

    await fixture.makeDue(id);
    expect(await endExpiredLeases(fixture.database)).toBe(1);
    expect(await endExpiredLeases(fixture.database)).toBe(0);
    expect(await release().done).toMatchObject({ released: 1 });
    const second = await fixture.delivery(id);
    expect(second.lease_id).not.toBe(first.lease_id);
    expect(second).toMatchObject({ state: 'pending', attempts: 0 });
  });

  test('signs with the present version of the secret', async () => {
    const { subscriptionId } = await subscriptionWithEvents(1);
    await fixture.database.query(
      `with secret as (insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
         values ($1, 2, '\\x02', 'test'), ($1, 3, '\\x03', 'test'))
       update subscriptions set secret_version = 2, pending_secret_version = 3 where id = $1`,
      [subscriptionId],
    );
    const { done, publisher } = release();
    await done;
    expect(commandsIn(publisher)[0]?.[0]).toMatchObject({
      secretVersion: 2,
      sealedSecret: Uint8Array.of(2),
    });
  });

  test('signs a test with the version that it tries, as long as that is there', async () => {
    const { subscriptionId, deliveries } = await subscriptionWithEvents(2, 'paused');
    await fixture.database.query(
      `with secret as (insert into subscription_secrets (subscription_id, version, sealed, sealing_key_id)
         values ($1, 2, '\\x02', 'test'))
       update deliveries set is_test = true, secret_version = case id when $2 then 2 else 9 end
       where subscription_id = $1`,
      [subscriptionId, deliveries[0]?.id],
    );
    const claimed = await claimAll(fixture.database, LIMITS);
    expect(new Map(claimed.map(({ id, secretVersion }) => [id, secretVersion]))).toEqual(
      new Map([
        [deliveries[0]?.id, 2],
        [deliveries[1]?.id, 1],
      ]),
    );
  });

  test('puts ten deliveries into a command, and one of a failing subscription into one of its own', async () => {
    await subscriptionWithEvents(12);
    const failing = await subscriptionWithEvents(2);
    await fixture.database.query('update subscriptions set failures_in_row = 1 where id = $1', [
      failing.subscriptionId,
    ]);
    const { done, publisher } = release();
    await done;
    const sizes = commandsIn(publisher).map((commands) => commands.length);
    expect(sizes.sort((a, b) => a - b)).toEqual([1, 1, 2, 10]);
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
  });

  test('takes the oldest first, no more than the batch [DELIVERY-17]', async () => {
    const { deliveries } = await subscriptionWithEvents(5);
    for (const [index, { id }] of deliveries.entries()) {
      await fixture.database.query(
        `update deliveries set next_attempt_at = now() - make_interval(mins => $2) where id = $1`,
        [id, [3, 5, 1, 4, 2][index]],
      );
    }
    const claimed = await claimAll(fixture.database, { ...LIMITS, batchSize: 2 });
    expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([deliveries[1]?.id, deliveries[3]?.id]));
    const rest = await claimAll(fixture.database, LIMITS);
    expect(rest).toHaveLength(3);
  });

  test('keeps one subscription to its cap, whatever its backlog, and lets the others pass [DELIVERY-15]', async () => {
    const busy = await subscriptionWithEvents(8);
    const quiet = await subscriptionWithEvents(1);
    const ofBusy = (claimed: readonly ClaimedDelivery[]) =>
      claimed.filter(({ subscriptionId }) => subscriptionId === busy.subscriptionId);

    const first = await claimAll(fixture.database, { ...LIMITS, batchSize: 4, subscriptionCap: 3 });
    expect(ofBusy(first)).toHaveLength(3);
    expect(first.map(({ subscriptionId }) => subscriptionId)).toContain(quiet.subscriptionId);
    expect(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 3 })).toEqual([]);

    const [ended, lost] = ofBusy(first);
    invariant(ended && lost, 'three are in flight');
    await finish(ended.id);
    await fixture.makeDue(lost.id);
    await endExpiredLeases(fixture.database);
    expect(ofBusy(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 3 }))).toHaveLength(2);
  });

  test('releases for a healthy subscription at once, however many others hang with a backlog [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, batchSize: 200, inFlight: 40, subscriptionCap: 2 };
    for (let hanging = 0; hanging < 25; hanging += 1) await subscriptionWithEvents(4);
    const underWay: ClaimedDelivery[] = [];
    for (let batch = 0; batch < 3; batch += 1) underWay.push(...(await claimAll(fixture.database, limits)));
    // Three quarters of the slots; the rest is for companies with nothing in flight.
    expect(underWay).toHaveLength(30);
    expect(new Set(underWay.map(({ subscriptionId }) => subscriptionId)).size).toBe(25);

    const healthy = await subscriptionWithEvents(3);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([healthy.subscriptionId]);
  });

  test('keeps the deliveries in flight to the bound of all companies together [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, inFlight: 4 };
    for (let subscription = 0; subscription < 6; subscription += 1) await subscriptionWithEvents(1);
    const [first] = await claimAll(fixture.database, limits);
    expect(await fixture.leases()).toBe(4);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
    await finish(first?.id);
    expect(await claimAll(fixture.database, limits)).toHaveLength(1);
  });

  test('never gives one delivery to two schedulers', async () => {
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => subscriptionWithEvents(10)));
    const all = subscriptions.flatMap(({ deliveries }) => deliveries.map(({ id }) => id));
    const claimed: string[] = [];
    for (let round = 0; round < 10; round += 1) {
      const batches = await Promise.all(
        Array.from({ length: 6 }, () => claimAll(fixture.database, { ...LIMITS, batchSize: 7 })),
      );
      claimed.push(...batches.flatMap((batch) => batch.map(({ id }) => id)));
    }
    const rest = await claimAll(fixture.database, LIMITS);
    claimed.push(...rest.map(({ id }) => id));
    expect(claimed).toHaveLength(new Set(claimed).size);
    expect(new Set(claimed)).toEqual(new Set(all));
  });

  test('releases only the tests of a paused subscription, and nothing of a deleted one', async () => {
    const { subscriptionId, deliveries } = await subscriptionWithEvents(3, 'paused');
    const test = deliveries[1];
    invariant(test, 'there are three deliveries');
    await fixture.database.query('update deliveries set is_test = true where id = $1', [test.id]);
    const { done, publisher } = release();
    expect(await done).toMatchObject({ released: 1 });
    expect(commandsIn(publisher)[0]?.[0]?.deliveryId).toBe(test.id);
    expect(await release().done).toMatchObject({ released: 0 });

    await fixture.makeDue(test.id);
    await endExpiredLeases(fixture.database);
    await fixture.database.query('update subscriptions set deleted_at = now() where id = $1', [
      subscriptionId,
    ]);
    expect(await release().done).toMatchObject({ released: 0 });
  });

  test('keeps the cap of a failing endpoint, so that its attempts keep their schedule', async () => {
    const { subscriptionId } = await subscriptionWithEvents(30);
    await setFailing(subscriptionId);
    expect(await claimAll(fixture.database, LIMITS)).toHaveLength(LIMITS.subscriptionCap);
  });

  test('leaves half of all slots to endpoints that work, however many fail [DELIVERY-16]', async () => {
    const limits = { ...LIMITS, inFlight: 40, subscriptionCap: 4 };
    const failing = await Promise.all(Array.from({ length: 8 }, () => subscriptionWithEvents(6)));
    await setFailing(...failing.map(({ subscriptionId }) => subscriptionId));
    const hanging = await claimAll(fixture.database, limits);
    expect(hanging).toHaveLength(20);
    expect(new Set(hanging.map(({ subscriptionId }) => subscriptionId)).size).toBe(8);
    expect(await claimAll(fixture.database, limits)).toEqual([]);

    const healthy = await subscriptionWithEvents(6);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual(
      Array.from({ length: 4 }, () => healthy.subscriptionId),
    );

    // A slot that a failing endpoint frees goes to failing endpoints again.
    await finish(hanging[0]?.id);
    const after = await claimAll(fixture.database, limits);
    expect(failing.map(({ subscriptionId }) => subscriptionId)).toContain(after[0]?.subscriptionId);
    expect(after).toHaveLength(1);
  });

  test('gives a free slot of failing endpoints to the company with the fewest of them', async () => {
    const limits = { ...LIMITS, inFlight: 8, subscriptionCap: 4 };
    const hanging = await subscriptionWithEvents(6);
    await setFailing(hanging.subscriptionId);
    const [ended] = await claimAll(fixture.database, limits);
    const answering = await subscriptionWithEvents(1);
    await setFailing(answering.subscriptionId);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
    await finish(ended?.id);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([answering.subscriptionId]);
  });

  test("leaves half of a company's slots to its endpoints that work, however many fail [DELIVERY-16]", async () => {
    const limits = { ...LIMITS, subscriptionCap: 4, companyCap: 12 };
    const companyId = await fixture.company();
    const hanging: string[] = [];
    for (let each = 0; each < 5; each += 1) hanging.push(await fixture.subscription({ companyId }));
    await setFailing(...hanging);
    for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
    expect(await claimAll(fixture.database, limits)).toHaveLength(6);
    expect(await claimAll(fixture.database, limits)).toEqual([]);

    const healthy = await fixture.subscription({ companyId });
    for (let event = 0; event < 5; event += 1) await fixture.event(companyId);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual(
      Array.from({ length: 4 }, () => healthy),
    );
  });

  test('keeps a company to its cap, however many subscriptions it has [DELIVERY-15]', async () => {
    const companyId = await fixture.company();
    for (let subscription = 0; subscription < 4; subscription += 1) await fixture.subscription({ companyId });
    for (let event = 0; event < 3; event += 1) await fixture.event(companyId);
    const limits = { ...LIMITS, companyCap: 5 };
    expect(await claimAll(fixture.database, limits)).toHaveLength(5);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
  });

  test('shares the slots between companies by their weights [DELIVERY-15]', async () => {
    const [light, heavy] = [await subscriptionWithEvents(20), await subscriptionWithEvents(20)];
    await fixture.database.query('update companies set delivery_weight = 3 where id = $1', [heavy.companyId]);
    const claimed = await claimAll(fixture.database, { ...LIMITS, batchSize: 12 });
    const of = (subscriptionId: string) =>
      claimed.filter((delivery) => delivery.subscriptionId === subscriptionId).length;
    expect({ light: of(light.subscriptionId), heavy: of(heavy.subscriptionId) }).toEqual({
      light: 3,
      heavy: 9,
    });
  });

  test('reserves a quarter of the slots of a subscription for retries, so that neither kind waits for a backlog of the other [DELIVERY-15]', async () => {
    const { deliveries } = await subscriptionWithEvents(40);
    const retries = new Set(deliveries.slice(0, 20).map(({ id }) => id));
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() - interval '1 hour'
       where id = any($1::text[])`,
      [[...retries]],
    );
    const limits = { ...LIMITS, subscriptionCap: 8 };
    const count = (claimed: readonly ClaimedDelivery[]) => ({
      retries: claimed.filter(({ id }) => retries.has(id)).length,
      first: claimed.filter(({ id }) => !retries.has(id)).length,
    });
    const all = await claimAll(fixture.database, limits);
    expect(count(all)).toEqual({ retries: 2, first: 6 });
    // A slot that gets free goes to the kind that has fewer than its reserved slots.
    const retry = all.find(({ id }) => retries.has(id));
    await finish(retry?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 1, first: 0 });
    await finish(all.find(({ id }) => !retries.has(id))?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 0, first: 1 });
  });

  test('lets retries have every slot that no first attempt needs', async () => {
    await subscriptionWithEvents(8);
    await fixture.database.query(`update deliveries set state = 'retry_scheduled', attempts = 1`);
    expect(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 8 })).toHaveLength(8);
  });

  test("serves a company's healthy subscriptions before its failing ones", async () => {
    const companyId = await fixture.company();
    const failing: string[] = [];
    for (let each = 0; each < 6; each += 1) failing.push(await fixture.subscription({ companyId }));
    await setFailing(...failing);
    await fixture.event(companyId);
    const healthy = [await fixture.subscription({ companyId }), await fixture.subscription({ companyId })];
    await fixture.event(companyId);
    const claimed = await claimAll(fixture.database, { ...LIMITS, companyCap: 2 });
    expect(new Set(claimed.map(({ subscriptionId }) => subscriptionId))).toEqual(new Set(healthy));
  });

  test('reserves a quarter of the slots for companies with nothing in flight, whatever the weight of the others', async () => {
    const limits = { ...LIMITS, inFlight: 20, subscriptionCap: 20 };
    const heavy = await subscriptionWithEvents(30);
    await fixture.database.query('update companies set delivery_weight = 100 where id = $1', [
      heavy.companyId,
    ]);
    expect(await claimAll(fixture.database, limits)).toHaveLength(15);
    const newcomer = await subscriptionWithEvents(2);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([newcomer.subscriptionId]);
  });

  test('finds the subscriptions with something waiting in pages, from one on', async () => {
    const made = [
      await subscriptionWithEvents(2),
      await subscriptionWithEvents(1),
      await subscriptionWithEvents(3),
    ];
    const ids = made.map(({ subscriptionId }) => subscriptionId).sort();
    const find = (afterId: string, limit: number) =>
      findWaiting(fixture.database, { state: 'pending', afterId, limit });
    expect(await find('', 2)).toEqual(ids.slice(0, 2));
    expect(await find(ids[1] ?? '', 2)).toEqual(ids.slice(2));
    expect(await find(ids[2] ?? '', 2)).toEqual([]);
    expect(await findWaiting(fixture.database, { state: 'retry_scheduled', afterId: '', limit: 2 })).toEqual(
      [],
    );
  });

  test('reports how many endpoints are failing', async () => {
    const registry = new Registry();
    createReleaseMetrics(registry, fixture.database, { ...LIMITS, freshMs: 0 });
    const { subscriptionId } = await subscriptionWithEvents(0);
    const before = (await metric(registry, 'partner_webhook_failing_endpoints')) ?? 0;
    await setFailing(subscriptionId);
    expect(await metric(registry, 'partner_webhook_failing_endpoints')).toBe(before + 1);
  });

  describe('tells for how long the oldest due delivery has been due', () => {
    const HOUR = 3_600;

    /** What a scrape says now, in hours. */
    async function hours(limits: Partial<typeof LIMITS> = {}) {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, { ...LIMITS, ...limits, freshMs: 0 });
      const found = await registry.getSingleMetric('partner_webhook_oldest_due_seconds')?.get();
      const told = new Map<unknown, number>(
        (found?.values ?? []).map(({ labels, value }) => [
          labels['endpoint_state'],
          Math.round(value / HOUR),
        ]),
      );
      return { healthy: told.get('healthy'), busy: told.get('busy'), failing: told.get('failing') };
    }

    /** Lets a delivery be as it was so many hours ago: its times are that much earlier. */
    const age = (id: string | undefined, byHours: number) =>
      fixture.database.query(
        `update deliveries set next_attempt_at = next_attempt_at - make_interval(hours => $2),
           overdue_since = overdue_since - make_interval(hours => $2) where id = $1`,
        [id, byHours],
      );

    test('to failing endpoints and to all others', async () => {
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
      const { deliveries } = await subscriptionWithEvents(2);
      await age(deliveries[1]?.id, 1);
      const failing = await subscriptionWithEvents(1);
      await age(failing.deliveries[0]?.id, 2);
      await setFailing(failing.subscriptionId);
      expect(await hours()).toEqual({ healthy: 1, busy: 0, failing: 2 });
      expect(await release().done).toMatchObject({ released: 3 });
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });

    test('apart where an endpoint has half of its slots in use', async () => {
      const { deliveries } = await subscriptionWithEvents(4);
      for (const { id } of deliveries) await age(id, 1);
      await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 2 });
      expect(await hours({ subscriptionCap: 5 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
      expect(await hours({ subscriptionCap: 4 })).toEqual({ healthy: 0, busy: 1, failing: 0 });
      // Where others have no free slot either, the delay is ours.
      expect(await hours({ subscriptionCap: 4, inFlight: 3 })).toMatchObject({ busy: 1 });
      expect(await hours({ subscriptionCap: 4, inFlight: 2 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
    });

    test('of what goes to the dispatcher over and over without a result, also while it is there', async () => {
      const { deliveries } = await subscriptionWithEvents(1);
      await claimAll(fixture.database, LIMITS);
      expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: 0, busy: 0, failing: 0 });
      for (const since of [1, 2, 3]) {
        await age(deliveries[0]?.id, 1);
        expect(await endExpiredLeases(fixture.database)).toBe(1);
        expect(await hours()).toEqual({ healthy: since, busy: 0, failing: 0 });
        expect(await claimAll(fixture.database, LIMITS)).toHaveLength(1);
        expect(await hours({ subscriptionCap: 1 })).toEqual({ healthy: since, busy: 0, failing: 0 });
      }
    });

    test('of nothing that is held, or whose next attempt is still to come, whatever an older version has left', async () => {
      const [held, retry] = (await subscriptionWithEvents(2)).deliveries;
      await fixture.database.query(
        `update deliveries set overdue_since = now() - interval '1 hour', next_attempt_at = now() + interval '1 hour',
           state = case id when $1 then 'held' else 'retry_scheduled' end where id in ($1, $2)`,
        [held?.id, retry?.id],
      );
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });

    test('of what the broker did not take', async () => {
      const { deliveries } = await subscriptionWithEvents(1);
      await release({}, true).done;
      await age(deliveries[0]?.id, 1);
      await release({}, true).done;
      await age(deliveries[0]?.id, 1);
      await claimAll(fixture.database, LIMITS);
      expect(await hours()).toMatchObject({ healthy: 2 });
    });
  });

  test('asks for what it tells once in a while, whoever scrapes, and says when it does not know', async () => {
    const registry = new Registry();
    let asked = 0;
    const away = {
      query: () => {
        asked += 1;
        return Promise.reject(new Error('the database is away'));
      },
    };
    createReleaseMetrics(registry, away, LIMITS);
    const texts = await Promise.all([registry.metrics(), registry.metrics()]);
    await registry.metrics();
    expect(texts[0]).toContain('partner_webhook_oldest_due_seconds{endpoint_state="healthy"} Nan\n');
    expect(texts[1]).toContain('partner_webhook_failing_endpoints Nan\n');
    expect(asked).toBe(2);
  });
});
