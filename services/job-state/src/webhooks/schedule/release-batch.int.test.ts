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
import type { LeasedDelivery } from '../../database/after-commit.js';
import { endExpiredLeases, findWaiting } from './claim-due.js';
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

/** Releases due deliveries, with a separate publisher and metrics. */
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

/** The published commands, one per message. */
function commandsIn(publisher: InMemoryPublisher): readonly (readonly DeliverWebhook[])[] {
  return publisher.published.all().map(({ body }) => fromBinary(DeliverWebhooksSchema, body).deliveries);
}

/** Makes endpoints failing, as five consecutive failed attempts would. */
async function setFailing(...subscriptionIds: readonly string[]): Promise<void> {
  await fixture.database.query('update subscriptions set failures_in_row = 5 where id = any($1::text[])', [
    subscriptionIds,
  ]);
}

/** Finishes a delivery as a delivered attempt would. */
async function finish(id: string | undefined): Promise<void> {
  await fixture.database.query('delete from deliveries where id = $1', [id]);
}

async function metric(registry: Registry, name: string): Promise<number | undefined> {
  const found = await registry.getSingleMetric(name)?.get();
  return found?.values[0]?.value;
}

describe('due deliveries', () => {
  test('are published with everything that an attempt needs, under a lease, in the trace of the event', async () => {
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

  test('name no request if none caused the event', async () => {
    await subscriptionWithEvents(1);
    const { done, publisher } = release();
    await done;
    expect(commandsIn(publisher)[0]?.[0]?.requestId).toBeUndefined();
  });

  test('stay leased until the lease ends, and are then released under a new lease', async () => {
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

  test('are signed with the current version of the secret', async () => {
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

  test('are signed with the version that a test tries, as long as it exists', async () => {
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

  test('share a command, up to ten, apart from those of a failing subscription, which have their own', async () => {
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

  test('are returned if the broker does not confirm them, with their attempts, due again a little later', async () => {
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

  test('are released oldest first, up to the batch size [DELIVERY-17]', async () => {
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

  test('of one subscription stay within its cap, whatever its backlog, and others are released [DELIVERY-15]', async () => {
    const busy = await subscriptionWithEvents(8);
    const quiet = await subscriptionWithEvents(1);
    const ofBusy = (claimed: readonly LeasedDelivery[]) =>
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

  test('of a healthy subscription are released at once, however many others hang with a backlog [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, batchSize: 200, inFlight: 40, subscriptionCap: 2 };
    for (let hanging = 0; hanging < 25; hanging += 1) await subscriptionWithEvents(4);
    const inFlight: LeasedDelivery[] = [];
    for (let batch = 0; batch < 3; batch += 1) inFlight.push(...(await claimAll(fixture.database, limits)));
    // Three quarters of the slots; the rest is for companies with nothing in flight.
    expect(inFlight).toHaveLength(30);
    expect(new Set(inFlight.map(({ subscriptionId }) => subscriptionId)).size).toBe(25);

    const healthy = await subscriptionWithEvents(3);
    const next = await claimAll(fixture.database, limits);
    expect(next.map(({ subscriptionId }) => subscriptionId)).toEqual([healthy.subscriptionId]);
  });

  test('in flight stay within the bound across all companies [DELIVERY-15]', async () => {
    const limits = { ...LIMITS, inFlight: 4 };
    for (let subscription = 0; subscription < 6; subscription += 1) await subscriptionWithEvents(1);
    const [first] = await claimAll(fixture.database, limits);
    expect(await fixture.leases()).toBe(4);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
    await finish(first?.id);
    expect(await claimAll(fixture.database, limits)).toHaveLength(1);
  });

  test('are never leased by two schedulers', async () => {
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

  test('of a paused subscription are released only if they are tests, and of a deleted one never', async () => {
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

  test('of a failing endpoint keep its cap, so that its attempts keep their schedule', async () => {
    const { subscriptionId } = await subscriptionWithEvents(30);
    await setFailing(subscriptionId);
    expect(await claimAll(fixture.database, LIMITS)).toHaveLength(LIMITS.subscriptionCap);
  });

  test('leave half of all slots to healthy endpoints, however many fail [DELIVERY-16]', async () => {
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

  test('of failing endpoints share a free slot by company, the one with the fewest first', async () => {
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

  test("leave half of a company's slots to its healthy endpoints, however many fail [DELIVERY-16]", async () => {
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

  test('keep a company within its cap, however many subscriptions it has [DELIVERY-15]', async () => {
    const companyId = await fixture.company();
    for (let subscription = 0; subscription < 4; subscription += 1) await fixture.subscription({ companyId });
    for (let event = 0; event < 3; event += 1) await fixture.event(companyId);
    const limits = { ...LIMITS, companyCap: 5 };
    expect(await claimAll(fixture.database, limits)).toHaveLength(5);
    expect(await claimAll(fixture.database, limits)).toEqual([]);
  });

  test('share the slots between companies by their weights [DELIVERY-15]', async () => {
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

  test("leave a quarter of a subscription's slots to retries, so that neither kind waits for a backlog of the other [DELIVERY-15]", async () => {
    const { deliveries } = await subscriptionWithEvents(40);
    const retries = new Set(deliveries.slice(0, 20).map(({ id }) => id));
    await fixture.database.query(
      `update deliveries set state = 'retry_scheduled', attempts = 1, next_attempt_at = now() - interval '1 hour'
       where id = any($1::text[])`,
      [[...retries]],
    );
    const limits = { ...LIMITS, subscriptionCap: 8 };
    const count = (claimed: readonly LeasedDelivery[]) => ({
      retries: claimed.filter(({ id }) => retries.has(id)).length,
      first: claimed.filter(({ id }) => !retries.has(id)).length,
    });
    const all = await claimAll(fixture.database, limits);
    expect(count(all)).toEqual({ retries: 2, first: 6 });
    // A free slot goes to the kind that has fewer than its reserved slots.
    const retry = all.find(({ id }) => retries.has(id));
    await finish(retry?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 1, first: 0 });
    await finish(all.find(({ id }) => !retries.has(id))?.id);
    expect(count(await claimAll(fixture.database, limits))).toEqual({ retries: 0, first: 1 });
  });

  test('leave every slot to retries if no first attempt needs it', async () => {
    await subscriptionWithEvents(8);
    await fixture.database.query(`update deliveries set state = 'retry_scheduled', attempts = 1`);
    expect(await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 8 })).toHaveLength(8);
  });

  test("of a company's healthy subscriptions come before those of its failing ones", async () => {
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

  test('leave a quarter of the slots to companies with nothing in flight, whatever the weight of the others', async () => {
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

  test('are found by subscription in pages, from a given one on', async () => {
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

  test('count the failing endpoints in a metric', async () => {
    const registry = new Registry();
    createReleaseMetrics(registry, fixture.database, { ...LIMITS, freshMs: 0 });
    const { subscriptionId } = await subscriptionWithEvents(0);
    const before = (await metric(registry, 'partner_webhook_failing_endpoints')) ?? 0;
    await setFailing(subscriptionId);
    expect(await metric(registry, 'partner_webhook_failing_endpoints')).toBe(before + 1);
  });

  describe('have a metric for the age of the oldest one', () => {
    const HOUR = 3_600;

    /** The current values of a scrape, in hours. */
    async function hours(limits: Partial<typeof LIMITS> = {}) {
      const registry = new Registry();
      createReleaseMetrics(registry, fixture.database, { ...LIMITS, ...limits, freshMs: 0 });
      const found = await registry.getSingleMetric('partner_webhook_oldest_due_seconds')?.get();
      const values = new Map<unknown, number>(
        (found?.values ?? []).map(({ labels, value }) => [
          labels['endpoint_state'],
          Math.round(value / HOUR),
        ]),
      );
      return { healthy: values.get('healthy'), busy: values.get('busy'), failing: values.get('failing') };
    }

    /** Moves the times of a delivery this many hours into the past. */
    const age = (id: string | undefined, byHours: number) =>
      fixture.database.query(
        `update deliveries set next_attempt_at = next_attempt_at - make_interval(hours => $2),
           overdue_since = overdue_since - make_interval(hours => $2) where id = $1`,
        [id, byHours],
      );

    test('separately for failing endpoints and all others', async () => {
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

    test('separately for an endpoint that uses half of its slots', async () => {
      const { deliveries } = await subscriptionWithEvents(4);
      for (const { id } of deliveries) await age(id, 1);
      await claimAll(fixture.database, { ...LIMITS, subscriptionCap: 2 });
      expect(await hours({ subscriptionCap: 5 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
      expect(await hours({ subscriptionCap: 4 })).toEqual({ healthy: 0, busy: 1, failing: 0 });
      // If others have no free slot either, the delay is ours.
      expect(await hours({ subscriptionCap: 4, inFlight: 3 })).toMatchObject({ busy: 1 });
      expect(await hours({ subscriptionCap: 4, inFlight: 2 })).toEqual({ healthy: 1, busy: 0, failing: 0 });
    });

    test('including those that are released repeatedly without a result, also while in flight', async () => {
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

    test('excluding held ones and those with a later attempt, whatever an older version has left', async () => {
      const [held, retry] = (await subscriptionWithEvents(2)).deliveries;
      await fixture.database.query(
        `update deliveries set overdue_since = now() - interval '1 hour', next_attempt_at = now() + interval '1 hour',
           state = case id when $1 then 'held' else 'retry_scheduled' end where id in ($1, $2)`,
        [held?.id, retry?.id],
      );
      expect(await hours()).toEqual({ healthy: 0, busy: 0, failing: 0 });
    });

    test('including those that the broker did not confirm', async () => {
      const { deliveries } = await subscriptionWithEvents(1);
      await release({}, true).done;
      await age(deliveries[0]?.id, 1);
      await release({}, true).done;
      await age(deliveries[0]?.id, 1);
      await claimAll(fixture.database, LIMITS);
      expect(await hours()).toMatchObject({ healthy: 2 });
    });
  });

  test('are queried for metrics once per interval, however often it is scraped, and unknown values are NaN', async () => {
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
