import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { newId } from '@partner/kernel/ids';
import { invariant } from '@partner/kernel/invariant';
import { ServiceError } from '@partner/kernel/service-error';
import { fc } from '@partner/test-kit/fast-check';
import { Registry } from 'prom-client';
import { endExpiredLeases } from '../schedule/claim-due.js';
import type { Database } from '../../database/database.js';
import { claimAll } from '../../testing/claim-all.js';
import { createGate } from '../../testing/create-gate.js';
import { createDeliveryResultsHandler } from './delivery-results.js';
import {
  attemptedMessage,
  openWebhookFixture,
  type StoredDelivery,
  type WebhookFixture,
} from '../../testing/webhook-fixture.js';

const LIMITS = { batchSize: 100, leaseSeconds: 30, inFlight: 1_000, subscriptionCap: 100 };
const FAILED = AttemptOutcome.TIMED_OUT;

let fixture: WebhookFixture;
const warnings: unknown[][] = [];
const registry = new Registry();
let handle: ReturnType<typeof createDeliveryResultsHandler>;

beforeAll(async () => {
  fixture = await openWebhookFixture();
  handle = createDeliveryResultsHandler({
    database: fixture.database,
    logger: { warn: (...line: unknown[]) => void warnings.push(line) },
    metrics: registry,
    retryBaseMs: 60_000,
    random: () => 0,
  });
});

afterAll(async () => {
  await fixture.close();
});

async function claimed(options: { isTest?: boolean } = {}): Promise<StoredDelivery & { lease_id: string }> {
  const companyId = await fixture.company();
  const subscriptionId = await fixture.subscription({ companyId });
  await fixture.event(companyId);
  const [delivery] = await fixture.deliveriesOf(subscriptionId);
  invariant(delivery, 'the event has a delivery');
  if (options.isTest === true) {
    await fixture.database.query('update deliveries set is_test = true where id = $1', [delivery.id]);
  }
  return lease(delivery.id);
}

async function lease(id: string): Promise<StoredDelivery & { lease_id: string }> {
  await fixture.makeDue(id);
  await endExpiredLeases(fixture.database);
  await fixture.makeDue(id);
  await claimAll(fixture.database, LIMITS);
  const delivery = await fixture.delivery(id);
  invariant(delivery.lease_id, 'the delivery is leased');
  return { ...delivery, lease_id: delivery.lease_id };
}

async function attemptsOf(deliveryId: string) {
  return fixture.database.query<{ id: string; number: number; outcome: string; response_body: Buffer }>(
    'select id, number, outcome, response_body from delivery_attempts where delivery_id = $1 order by started_at, id',
    [deliveryId],
  );
}

/** A handler with another database. */
function handlerWith(
  database: Pick<Database, 'transaction'>,
  metrics = new Registry(),
): ReturnType<typeof createDeliveryResultsHandler> {
  return createDeliveryResultsHandler({
    database,
    logger: { warn: () => undefined },
    metrics,
    retryBaseMs: 60_000,
    random: () => 0,
  });
}

async function recordedAttempts(outcome: string): Promise<number> {
  const metric = await registry.getSingleMetric('partner_webhook_attempts_recorded_total')?.get();
  const values = metric?.values.filter(({ labels }) => labels['outcome'] === outcome) ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('the handler of delivery results', () => {
  test('dead-letters a delivery after 8 attempts, and the next success restores the health [DELIVERY-1, DELIVERY-3, DELIVERY-8, DELIVERY-12]', async () => {
    let delivery = await claimed();
    const waits: number[] = [];
    for (let number = 1; number <= 8; number += 1) {
      expect(await fixture.health(delivery.subscription_id)).toBe('healthy');
      const message = attemptedMessage({
        deliveryId: delivery.id,
        leaseId: delivery.lease_id,
        number,
        outcome: FAILED,
      });
      expect(await handle(message)).toEqual({ kind: 'done' });
      const after = await fixture.delivery(delivery.id);
      expect(after).toMatchObject({ attempts: number, lease_id: null });
      if (number === 8) break;
      expect(after).toMatchObject({ state: 'retry_scheduled', finished_at: null });
      waits.push(Math.ceil((after.wait_ms ?? 0) / 60_000));
      expect(await claimAll(fixture.database, LIMITS)).toEqual([]);
      delivery = await lease(delivery.id);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64]);
    const dead = await fixture.delivery(delivery.id);
    expect(dead).toMatchObject({ state: 'dead_lettered', next_attempt_at: null });
    expect(dead.finished_at).toBeInstanceOf(Date);
    expect(await fixture.health(delivery.subscription_id)).toBe('degraded');
    expect((await attemptsOf(delivery.id)).map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(warnings).toContainEqual([
      expect.objectContaining({ deliveryId: delivery.id, subscriptionId: delivery.subscription_id }),
      'delivery.dead_lettered',
    ]);
    await fixture.makeDue(delivery.id);
    expect(await claimAll(fixture.database, LIMITS)).toEqual([]);

    const [{ company_id: companyId } = { company_id: '' }] = await fixture.database.query<{
      company_id: string;
    }>('select company_id from all_deliveries where id = $1', [delivery.id]);
    await fixture.event(companyId);
    const next = (await fixture.deliveriesOf(delivery.subscription_id)).find(({ id }) => id !== delivery.id);
    invariant(next, 'the second event has a delivery');
    const { id, lease_id: leaseId } = await lease(next.id);
    await handle(attemptedMessage({ deliveryId: id, leaseId }));
    expect(await fixture.delivery(id)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      next_attempt_at: null,
    });
    expect(await fixture.health(delivery.subscription_id)).toBe('healthy');
  });

  test('records a result once, however often it arrives', async () => {
    const delivery = await claimed();
    const counted = await recordedAttempts('timed_out');
    const message = attemptedMessage({
      deliveryId: delivery.id,
      leaseId: delivery.lease_id,
      outcome: FAILED,
    });
    expect(await Promise.all([handle(message), handle(message), handle(message)])).toEqual(
      Array.from({ length: 3 }, () => ({ kind: 'done' })),
    );
    await handle(message);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'retry_scheduled', attempts: 1 });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);

    await lease(delivery.id);
    await handle(message);
    expect(await recordedAttempts('timed_out')).toBe(counted + 1);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'retry_scheduled', attempts: 1 });
  });

  test('counts a failure under a former lease and leaves the current lease to its own attempt', async () => {
    const former = await claimed();
    const present = await lease(former.id);
    await handle(attemptedMessage({ deliveryId: former.id, leaseId: former.lease_id, outcome: FAILED }));
    const counted = await fixture.delivery(former.id);
    expect(counted).toMatchObject({
      state: 'retry_scheduled',
      attempts: 1,
      lease_id: present.lease_id,
      finished_at: null,
    });
    // The lease ends at its original time, but the delivery is not due before the backoff of the counted attempt.
    expect(counted.next_attempt_at).toEqual(present.next_attempt_at);
    await fixture.makeDue(former.id);
    await endExpiredLeases(fixture.database);
    expect(await fixture.overdueSince(former.id)).toBeNull();
    expect(Math.ceil(((await fixture.delivery(former.id)).wait_ms ?? 0) / 60_000)).toBe(1);
    await fixture.database.query('update deliveries set lease_id = $2 where id = $1', [
      former.id,
      present.lease_id,
    ]);
    await handle(attemptedMessage({ deliveryId: former.id, leaseId: present.lease_id, outcome: FAILED }));
    const after = await fixture.delivery(former.id);
    expect(after).toMatchObject({ state: 'retry_scheduled', attempts: 2, lease_id: null });
    expect(Math.ceil((after.wait_ms ?? 0) / 60_000)).toBe(2);
    expect(await attemptsOf(former.id)).toHaveLength(2);
  });

  test('clears the overdue mark of a delivery', async () => {
    const { id, lease_id: leaseId } = await claimed();
    await fixture.database.query('update deliveries set overdue_since = now() where id = $1', [id]);
    await handle(attemptedMessage({ deliveryId: id, leaseId, outcome: FAILED }));
    expect(await fixture.overdueSince(id)).toBeNull();
  });

  test('never moves an attempt forward because of a late failure', async () => {
    const delivery = await claimed();
    await handle(
      attemptedMessage({
        deliveryId: delivery.id,
        leaseId: delivery.lease_id,
        outcome: FAILED,
        retryAfterSeconds: 3_600,
      }),
    );
    const scheduled = await fixture.delivery(delivery.id);
    await handle(attemptedMessage({ deliveryId: delivery.id, leaseId: 'former', outcome: FAILED }));
    expect(await fixture.delivery(delivery.id)).toMatchObject({
      state: 'retry_scheduled',
      attempts: 2,
      next_attempt_at: scheduled.next_attempt_at,
    });
  });

  test('dead-letters a delivery after 8 failures, late or not, and keeps held deliveries held', async () => {
    const late = () => attemptedMessage({ deliveryId: id, leaseId: 'former', outcome: FAILED });
    const { id, subscription_id: subscriptionId, lease_id: leaseId } = await claimed();
    await fixture.setState(subscriptionId, 'paused');
    await handle(late());
    expect(await fixture.delivery(id)).toMatchObject({ state: 'retry_scheduled', attempts: 1 });
    await handle(attemptedMessage({ deliveryId: id, leaseId, outcome: FAILED }));
    expect(await fixture.delivery(id)).toMatchObject({
      state: 'retry_scheduled',
      attempts: 2,
      lease_id: null,
    });
    await fixture.database.query(`update deliveries set state = 'held' where id = $1`, [id]);
    for (let attempts = 3; attempts < 8; attempts += 1) {
      await handle(late());
      expect(await fixture.delivery(id)).toMatchObject({ state: 'held', attempts });
    }
    await handle(late());
    const dead = await fixture.delivery(id);
    expect(dead).toMatchObject({ state: 'dead_lettered', attempts: 8, next_attempt_at: null });
    await handle(late());
    expect(await fixture.delivery(id)).toEqual(dead);
    expect(await attemptsOf(id)).toHaveLength(9);
  });

  test('makes a dead-lettered delivery delivered after a late success', async () => {
    const { id, subscription_id: subscriptionId } = await claimed();
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      await handle(attemptedMessage({ deliveryId: id, leaseId: 'former', outcome: FAILED }));
    }
    expect(await fixture.delivery(id)).toMatchObject({ state: 'dead_lettered' });
    expect(await fixture.health(subscriptionId)).toBe('degraded');
    await handle(attemptedMessage({ deliveryId: id, leaseId: 'former' }));
    expect(await fixture.delivery(id)).toMatchObject({ state: 'delivered', attempts: 8 });
    expect(await fixture.health(subscriptionId)).toBe('healthy');
  });

  test('makes a delivery delivered when a success arrives together with the 8th failure', async () => {
    const { id, subscription_id: subscriptionId } = await claimed();
    for (let attempt = 1; attempt <= 7; attempt += 1) {
      await handle(attemptedMessage({ deliveryId: id, leaseId: 'former', outcome: FAILED }));
    }
    await Promise.all([
      // Occupies the handler, so that the others share a batch.
      handle(attemptedMessage({ deliveryId: newId('dlv'), leaseId: 'lease' })),
      handle(attemptedMessage({ deliveryId: id, leaseId: 'former', outcome: FAILED })),
      handle(attemptedMessage({ deliveryId: id, leaseId: 'former' })),
    ]);
    expect(await fixture.delivery(id)).toMatchObject({ state: 'delivered', attempts: 8 });
    expect(await fixture.health(subscriptionId)).toBe('healthy');
  });

  test('has the same outcome for any order and leases of the results, one by one or batched', async () => {
    const result = fc.record({
      isPresent: fc.boolean(),
      isSuccess: fc.oneof(
        { arbitrary: fc.constant(false), weight: 6 },
        { arbitrary: fc.constant(true), weight: 1 },
      ),
      isAlone: fc.boolean(),
      isLeasedBefore: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(result, { minLength: 1, maxLength: 12 }), async (results) => {
        let delivery: StoredDelivery = await claimed();
        const running: Promise<unknown>[] = [];
        for (const { isPresent, isSuccess, isAlone, isLeasedBefore } of results) {
          if (isLeasedBefore) {
            await Promise.all(running);
            delivery = await fixture.delivery(delivery.id);
            if (delivery.finished_at === null) delivery = await lease(delivery.id);
          }
          running.push(
            handle(
              attemptedMessage({
                deliveryId: delivery.id,
                leaseId: isPresent ? delivery.lease_id : 'former',
                outcome: isSuccess ? AttemptOutcome.DELIVERED : FAILED,
              }),
            ),
          );
          if (!isAlone) continue;
          await Promise.all(running);
          delivery = await fixture.delivery(delivery.id);
        }
        await Promise.all(running);

        const success = results.findIndex(({ isSuccess }) => isSuccess);
        const failures = success === -1 ? results.length : success;
        const end = await fixture.delivery(delivery.id);
        expect(await attemptsOf(delivery.id)).toHaveLength(results.length);
        expect({ state: end.state, attempts: end.attempts }).toEqual(
          success !== -1
            ? { state: 'delivered', attempts: Math.min(8, failures + 1) }
            : failures >= 8
              ? { state: 'dead_lettered', attempts: 8 }
              : { state: 'retry_scheduled', attempts: failures },
        );
        if (end.state !== 'retry_scheduled') return;
        // The delivery is not due before the backoff of the counted attempts, also if the current lease ends without a result.
        if (end.lease_id !== null) await fixture.makeDue(end.id);
        await endExpiredLeases(fixture.database);
        const { wait_ms: waitMs } = await fixture.delivery(end.id);
        expect(waitMs).toBeGreaterThan(60_000 * 2 ** (failures - 1) - 30_000);
      }),
      { numRuns: 40 },
    );
  });

  test('accepts a success under a former lease, after which the current lease changes nothing', async () => {
    const former = await claimed();
    const present = await lease(former.id);
    await handle(attemptedMessage({ deliveryId: former.id, leaseId: former.lease_id }));
    const delivered = await fixture.delivery(former.id);
    expect(delivered).toMatchObject({ state: 'delivered', attempts: 1, lease_id: null });
    await handle(attemptedMessage({ deliveryId: former.id, leaseId: present.lease_id, outcome: FAILED }));
    expect(await fixture.delivery(former.id)).toMatchObject({
      state: 'delivered',
      attempts: 1,
      finished_at: delivered.finished_at,
    });
    expect((await attemptsOf(former.id)).map(({ outcome }) => outcome).sort()).toEqual([
      'delivered',
      'timed_out',
    ]);
  });

  test('settles concurrent results of one delivery one by one', async () => {
    const delivery = await claimed();
    const { id: deliveryId, lease_id: leaseId } = delivery;
    const startedAt = new Date();
    await Promise.all([
      handle(attemptedMessage({ deliveryId: (await claimed()).id, leaseId: 'other', outcome: FAILED })),
      handle(attemptedMessage({ deliveryId, leaseId, number: 1, outcome: FAILED, startedAt })),
      handle(attemptedMessage({ deliveryId, leaseId, number: 1, outcome: FAILED, startedAt })),
      handle(attemptedMessage({ deliveryId, leaseId: 'former', number: 1 })),
    ]);
    expect(await fixture.delivery(deliveryId)).toMatchObject({ state: 'delivered', attempts: 3 });
    expect(await attemptsOf(deliveryId)).toHaveLength(3);
  });

  test('lets retry-after lengthen the backoff and never shorten it', async () => {
    for (const [retryAfterSeconds, minutes] of [
      [1, 1],
      [600, 10],
      [1_000_000, 360],
    ] as const) {
      const { id, lease_id: leaseId } = await claimed();
      await handle(attemptedMessage({ deliveryId: id, leaseId, outcome: FAILED, retryAfterSeconds }));
      expect(Math.ceil(((await fixture.delivery(id)).wait_ms ?? 0) / 60_000)).toBe(minutes);
    }
  });

  test('marks an endpoint as failing after 5 consecutive failures, until an attempt is delivered [DELIVERY-16]', async () => {
    const failuresInRow = async (subscriptionId: string) => {
      const [row] = await fixture.database.query<{ failures_in_row: number }>(
        'select failures_in_row from subscriptions where id = $1',
        [subscriptionId],
      );
      return row?.failures_in_row;
    };
    const first = await claimed();
    const { subscription_id: subscriptionId } = first;
    for (let failures = 1; failures <= 7; failures += 1) {
      const { id, lease_id: leaseId } = await lease(first.id);
      await handle(attemptedMessage({ deliveryId: id, leaseId, outcome: FAILED }));
      expect(await failuresInRow(subscriptionId)).toBe(Math.min(failures, 5));
    }
    const { id, lease_id: leaseId } = await lease(first.id);
    await handle(attemptedMessage({ deliveryId: id, leaseId }));
    expect(await failuresInRow(subscriptionId)).toBe(0);
  });

  test('counts the failures since the last delivered attempt of concurrent results', async () => {
    const companyId = await fixture.company();
    const subscriptionId = await fixture.subscription({ companyId });
    for (let event = 0; event < 4; event += 1) await fixture.event(companyId);
    await claimAll(fixture.database, LIMITS);
    const [busy, ...together] = (await fixture.deliveriesOf(subscriptionId)).map(
      ({ id, lease_id: leaseId }, index) =>
        attemptedMessage({
          deliveryId: id,
          leaseId,
          outcome: index === 2 ? AttemptOutcome.DELIVERED : FAILED,
        }),
    );
    invariant(busy, 'there are four');
    await Promise.all([busy, ...together].map(handle));
    const [row] = await fixture.database.query<{ failures_in_row: number }>(
      'select failures_in_row from subscriptions where id = $1',
      [subscriptionId],
    );
    expect(row?.failures_in_row).toBe(1);
  });

  test('verifies the current URL by a delivered test, and no other URL', async () => {
    const verified = async (subscriptionId: string) => {
      const [row] = await fixture.database.query<{ verified_url_version: number | null }>(
        'select verified_url_version from subscriptions where id = $1',
        [subscriptionId],
      );
      return row?.verified_url_version;
    };
    const delivery = await claimed({ isTest: true });
    const { id: deliveryId, lease_id: leaseId, subscription_id: subscriptionId } = delivery;
    await fixture.database.query(
      'update subscriptions set url_version = 3, verified_url_version = null where id = $1',
      [subscriptionId],
    );
    await handle(attemptedMessage({ deliveryId, leaseId: 'former', outcome: FAILED, urlVersion: 3 }));
    expect(await verified(subscriptionId)).toBeNull();
    await handle(attemptedMessage({ deliveryId, leaseId, urlVersion: 2 }));
    expect(await verified(subscriptionId)).toBeNull();
    await fixture.event(delivery.company_id);
    const [again] = (await fixture.deliveriesOf(subscriptionId)).filter(({ id }) => id !== deliveryId);
    invariant(again, 'the second event has a delivery');
    await fixture.database.query('update deliveries set is_test = true where id = $1', [again.id]);
    await handle(attemptedMessage({ deliveryId: again.id, leaseId: null, urlVersion: 3 }));
    expect(await verified(subscriptionId)).toBe(3);

    const ordinary = await claimed();
    await fixture.database.query('update subscriptions set verified_url_version = null where id = $1', [
      ordinary.subscription_id,
    ]);
    await handle(attemptedMessage({ deliveryId: ordinary.id, leaseId: ordinary.lease_id }));
    expect(await verified(ordinary.subscription_id)).toBeNull();
  });

  test('settles many concurrent results of many replicas', async () => {
    const companyId = await fixture.company();
    const subscriptions = await Promise.all([1, 2, 3].map(() => fixture.subscription({ companyId })));
    for (let event = 0; event < 20; event += 1) await fixture.event(companyId);
    await claimAll(fixture.database, LIMITS);
    const deliveries = (await Promise.all(subscriptions.map((id) => fixture.deliveriesOf(id)))).flat();
    expect(deliveries).toHaveLength(60);
    const replicas = [1, 2, 3].map(() =>
      createDeliveryResultsHandler({
        database: fixture.database,
        logger: { warn: () => undefined },
        metrics: new Registry(),
        retryBaseMs: 60_000,
        random: () => 0,
      }),
    );
    await fixture.database.query(`update subscriptions set health = 'degraded' where company_id = $1`, [
      companyId,
    ]);
    const messages = deliveries.map(({ id, lease_id: leaseId }) =>
      attemptedMessage({ deliveryId: id, leaseId }),
    );
    await Promise.all(replicas.flatMap((replica) => messages.map((message) => replica(message))));
    for (const { id } of deliveries) {
      expect(await fixture.delivery(id)).toMatchObject({ state: 'delivered', attempts: 1 });
      expect(await attemptsOf(id)).toHaveLength(1);
    }
    for (const id of subscriptions) expect(await fixture.health(id)).toBe('healthy');
  });

  test('resolves only after its commit', async () => {
    const delivery = await claimed();
    const [written, commit] = [createGate(), createGate()];
    const handleHeldBack = handlerWith({
      transaction: (work) =>
        fixture.database.transaction(async (tx) => {
          const result = await work(tx);
          written.open();
          await commit.opened;
          return result;
        }),
    });
    let hasResolved = false;
    const handled = handleHeldBack(
      attemptedMessage({ deliveryId: delivery.id, leaseId: delivery.lease_id }),
    ).finally(() => {
      hasResolved = true;
    });
    await written.opened;
    // Read over another connection: enough time for a handler that does not wait.
    expect(await attemptsOf(delivery.id)).toEqual([]);
    expect(hasResolved).toBe(false);
    commit.open();
    expect(await handled).toEqual({ kind: 'done' });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('rejects and records nothing while the database is down, and accepts the redelivered result', async () => {
    const delivery = await claimed();
    const message = attemptedMessage({
      deliveryId: delivery.id,
      leaseId: delivery.lease_id,
      outcome: FAILED,
    });
    const metrics = new Registry();
    const failsOnCommit = handlerWith(
      {
        transaction: (work) =>
          fixture.database.transaction(async (tx) => {
            await work(tx);
            throw new ServiceError('unavailable', 'the database is away');
          }),
      },
      metrics,
    );
    const ends = await Promise.allSettled([failsOnCommit(message), failsOnCommit(message)]);
    expect(ends).toMatchObject(
      Array.from({ length: 2 }, () => ({ status: 'rejected', reason: { reason: 'unavailable' } })),
    );
    expect(await attemptsOf(delivery.id)).toEqual([]);
    expect(await fixture.delivery(delivery.id)).toMatchObject({
      state: 'pending',
      attempts: 0,
      lease_id: delivery.lease_id,
    });
    const counter = await metrics.getSingleMetric('partner_webhook_attempts_recorded_total')?.get();
    expect(counter?.values.every(({ value }) => value === 0)).toBe(true);

    expect(await handle(message)).toEqual({ kind: 'done' });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);
  });

  test('drops malformed results, and ignores deliveries that no longer exist', async () => {
    const message = attemptedMessage({ deliveryId: newId('dlv'), leaseId: 'lease' });
    expect(await handle(message)).toEqual({ kind: 'done' });
    expect(await handle({ ...message, body: Buffer.from('nonsense') })).toMatchObject({ kind: 'dead' });
    expect(await handle({ ...message, body: new Uint8Array() })).toMatchObject({ kind: 'dead' });
    expect(await handle({ ...message, type: 'partner.webhooks.v1.DeliverWebhook' })).toMatchObject({
      kind: 'dead',
    });
  });

  test('records the other results if the database rejects one of a batch', async () => {
    const deliveries = [await claimed(), await claimed(), await claimed()];
    await fixture.database.query(
      `alter table delivery_attempts add constraint refused check (remote_address <> 'refused')`,
    );
    const outcomes = await Promise.allSettled([
      // Occupies the handler, so that the others share a batch.
      handle(attemptedMessage({ deliveryId: newId('dlv'), leaseId: 'lease' })),
      ...deliveries.map(({ id, lease_id: leaseId }, index) =>
        handle(
          attemptedMessage({
            deliveryId: id,
            leaseId,
            remoteAddress: index === 1 ? 'refused' : '203.0.113.7',
          }),
        ),
      ),
    ]);
    await fixture.database.query('alter table delivery_attempts drop constraint refused');
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const states = await Promise.all(deliveries.map(async ({ id }) => (await fixture.delivery(id)).state));
    expect(states).toEqual(['delivered', 'pending', 'delivered']);
  });

  test('counts attempts and dead letters by company class, and measures the latency of delivered ones', async () => {
    const text = await registry.metrics();
    const ofClass = 'company_class="installer"';
    expect(text).toMatch(
      new RegExp(`partner_webhook_attempts_recorded_total{${ofClass},outcome="timed_out"} [1-9]`),
    );
    expect(text).toMatch(
      new RegExp(`partner_webhook_attempts_recorded_total{${ofClass},outcome="delivered"} [1-9]`),
    );
    expect(text).toContain(
      'partner_webhook_attempts_recorded_total{company_class="sales",outcome="delivered"} 0\n',
    );
    expect(text).toMatch(new RegExp(`partner_webhook_dead_letters_total{${ofClass}} [1-9]`));
    expect(text).toMatch(
      new RegExp(`partner_webhook_delivery_seconds_count{${ofClass},attempt="first"} [1-9]`),
    );
  });

  test('measures the latency of a delivery, and whether its first attempt succeeded', async () => {
    const metrics = new Registry();
    const recording = handlerWith(fixture.database, metrics);
    for (const outcomes of [[AttemptOutcome.DELIVERED], [FAILED, AttemptOutcome.DELIVERED]]) {
      const { id } = await claimed();
      await fixture.database.query(
        `update deliveries set created_at = now() - interval '20 s' where id = $1`,
        [id],
      );
      for (const outcome of outcomes) {
        const { lease_id: leaseId } = await lease(id);
        await recording(attemptedMessage({ deliveryId: id, leaseId, outcome }));
      }
    }
    const text = await metrics.metrics();
    const bucket = (attempt: string, le: number) =>
      `partner_webhook_delivery_seconds_bucket{le="${le}",company_class="installer",attempt="${attempt}"}`;
    for (const attempt of ['first', 'later']) {
      expect(text).toContain(`${bucket(attempt, 10)} 0\n`);
      expect(text).toContain(`${bucket(attempt, 30)} 1\n`);
    }
  });
});
