import { describe, expect, test } from '@jest/globals';
import { newId } from '@partner/kernel/process/ids';
import { invariant } from '@partner/kernel/process/invariant';
import { ServiceError } from '@partner/kernel/process/service-error';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { Registry } from 'prom-client';
import { listSubscriptions } from '../subscriptions/get-subscription.js';
import { withConditions } from '../subscriptions/read-conditions.js';
import { claimAll } from '../../testing/claim-all.js';
import { crashingBeforeCommit, holdingCommits } from '../../testing/hold-transaction.js';
import { resultsHandler } from '../../testing/webhook-fixture.js';
import {
  attempted,
  attemptsOf,
  claimed,
  fail,
  FAILED,
  fixture,
  handle,
  lease,
  registry,
  together,
  warnings,
} from '../testing/results-fixture.js';

async function recordedAttempts(outcome: string): Promise<number> {
  const metric = await registry.getSingleMetric('partner_webhook_attempts_recorded_total')?.get();
  const values = metric?.values.filter(({ labels }) => labels['outcome'] === outcome) ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

describe('the handler of delivery results', () => {
  test('dead-letters a delivery after 8 attempts, and the next success restores the health [DELIVERY-1, DELIVERY-3, DELIVERY-8, DELIVERY-12, DELIVERY-22]', async () => {
    let delivery = await claimed();
    const waits: number[] = [];
    for (let number = 1; number <= 8; number += 1) {
      expect(await fixture.health(delivery.subscription_id)).toBe('healthy');
      expect(await fail(delivery.id, { leaseId: delivery.lease_id, number })).toEqual({ kind: 'done' });
      const after = await fixture.delivery(delivery.id);
      expect(after).toMatchObject({ attempts: number, lease_id: null });
      if (number === 8) break;
      expect(after).toMatchObject({ state: 'retry_scheduled', finished_at: null });
      waits.push(Math.ceil((after.wait_ms ?? 0) / 60_000));
      expect(await claimAll(fixture.database)).toEqual([]);
      delivery = await lease(delivery.id);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64]);
    const dead = await fixture.delivery(delivery.id);
    expect(dead).toMatchObject({ state: 'dead_lettered', next_attempt_at: null });
    expect(dead.finished_at).toBeInstanceOf(Date);
    expect(await fixture.health(delivery.subscription_id)).toBe('degraded');
    const attempts = await attemptsOf(delivery.id);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(attempts[0]?.response_headers).toEqual([{ name: 'server', value: 'n' }]);
    expect(warnings).toContainEqual([
      expect.objectContaining({ deliveryId: delivery.id, subscriptionId: delivery.subscription_id }),
      'delivery.dead_lettered',
    ]);
    await fixture.makeDue(delivery.id);
    expect(await claimAll(fixture.database)).toEqual([]);

    await fixture.event(delivery.company_id);
    const [, next] = await fixture.deliveriesOf(delivery.subscription_id);
    invariant(next, 'the second event has a delivery');
    await handle(attempted(next.id, { leaseId: (await lease(next.id)).lease_id }));
    const delivered = { state: 'delivered', attempts: 1, next_attempt_at: null };
    expect(await fixture.delivery(next.id)).toMatchObject(delivered);
    expect(await fixture.health(delivery.subscription_id)).toBe('healthy');
  });

  test('records a result once, however often it arrives', async () => {
    const delivery = await claimed();
    await fixture.set('deliveries', delivery.id, 'overdue_since = now()');
    const counted = await recordedAttempts('timed_out');
    const message = attempted(delivery.id, { leaseId: delivery.lease_id, outcome: FAILED });
    const done = { kind: 'done' };
    const messages = [message, message, message];
    expect(await Promise.all(messages.map((each) => handle(each)))).toEqual([done, done, done]);
    await handle(message);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'retry_scheduled', attempts: 1 });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);
    expect(await fixture.overdueSince(delivery.id)).toBeNull();

    await lease(delivery.id);
    await handle(message);
    expect(await recordedAttempts('timed_out')).toBe(counted + 1);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'retry_scheduled', attempts: 1 });
  });

  test('counts the failures since the last delivered attempt of concurrent results', async () => {
    const { subscriptionId, ids } = await fixture.companyWith(3);
    await together(
      ...ids.map((id, index) => attempted(id, { outcome: index === 1 ? AttemptOutcome.DELIVERED : FAILED })),
    );
    expect(await fixture.row('subscriptions', subscriptionId)).toMatchObject({ failures_in_row: 1 });
  });

  test('verifies the URL of the test that it delivers, and no URL by another event', async () => {
    const { companyId, subscriptionId, ids } = await fixture.companyWith(3);
    const [ordinary, former, test] = ids;
    const verified = async () => (await fixture.row('subscriptions', subscriptionId))['verified_url_version'];
    await fixture.set('subscriptions', subscriptionId, 'url_version = 3, verified_url_version = null');
    await handle(attempted(ordinary, { urlVersion: 3 }));
    await fixture.database.query('update deliveries set is_test = true where company_id = $1', [companyId]);
    await handle(attempted(former, { urlVersion: 2 }));
    await fail(test, { urlVersion: 3 });
    expect(await verified()).toBeNull();
    await handle(attempted(test, { urlVersion: 3 }));
    expect(await verified()).toBe(3);
  });

  test.each([
    ['with a wrong signature', `wrong_secret = ''`],
    ['of another URL', `test_url = 'https://other.example/'`],
  ])(
    'ends a test %s after one attempt, and counts it nowhere else [SECRET-10, WEBHOOK-15]',
    async (_which, column) => {
      for (const [outcome, state] of [
        [FAILED, 'cancelled'],
        [AttemptOutcome.DELIVERED, 'delivered'],
      ] as const) {
        const { id, subscription_id: subscriptionId } = await claimed();
        await fixture.set('deliveries', id, `is_test = true, ${column}`);
        const standing = `verified_url_version = null, failures_in_row = 3, health = 'degraded'`;
        await fixture.set('subscriptions', subscriptionId, standing);
        const counted = () =>
          Promise.all([recordedAttempts('timed_out'), fixture.row('subscriptions', subscriptionId)]);
        const before = await counted();
        await handle(attempted(id, { outcome }));
        expect(await fixture.delivery(id)).toMatchObject({ state, attempts: 1, next_attempt_at: null });
        expect(await counted()).toEqual(before);
      }
    },
  );
});

describe('the handler of a batch of delivery results', () => {
  test('resolves only after its commit', async () => {
    const delivery = await claimed();
    const { database, worked, commit } = holdingCommits(fixture.database);
    let hasResolved = false;
    const handled = resultsHandler(database)(attempted(delivery.id)).finally(() => {
      hasResolved = true;
    });
    await worked;
    // Read over another connection: enough time for a handler that does not wait.
    expect(await attemptsOf(delivery.id)).toEqual([]);
    expect(hasResolved).toBe(false);
    commit();
    expect(await handled).toEqual({ kind: 'done' });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);
    expect(await fixture.delivery(delivery.id)).toMatchObject({ state: 'delivered', attempts: 1 });
  });

  test('rejects and records nothing while the database is down, and accepts the redelivered result', async () => {
    const delivery = await claimed();
    const message = attempted(delivery.id, { leaseId: delivery.lease_id, outcome: FAILED });
    const metrics = new Registry();
    const away = new ServiceError('unavailable', 'the database is away');
    const failsOnCommit = resultsHandler(crashingBeforeCommit(fixture.database, away), { metrics });
    const ends = await Promise.allSettled([failsOnCommit(message), failsOnCommit(message)]);
    const rejected = { status: 'rejected', reason: { reason: 'unavailable' } };
    expect(ends).toMatchObject([rejected, rejected]);
    expect(await attemptsOf(delivery.id)).toEqual([]);
    const unchanged = { state: 'pending', attempts: 0, lease_id: delivery.lease_id };
    expect(await fixture.delivery(delivery.id)).toMatchObject(unchanged);
    const counter = await metrics.getSingleMetric('partner_webhook_attempts_recorded_total')?.get();
    expect(counter?.values.every(({ value }) => value === 0)).toBe(true);

    expect(await handle(message)).toEqual({ kind: 'done' });
    expect(await attemptsOf(delivery.id)).toHaveLength(1);
  });

  test('drops malformed results, and messages of another type', async () => {
    const message = attempted(newId('dlv'));
    expect(await handle({ ...message, body: Buffer.from('nonsense') })).toMatchObject({ kind: 'dead' });
    const type = 'partner.webhooks.v1.DeliverWebhook';
    expect(await handle({ ...message, type })).toMatchObject({ kind: 'dead' });
  });

  test('records the other results if the database rejects one of a batch', async () => {
    const deliveries = [await claimed(), await claimed(), await claimed()];
    await fixture.database.query(
      `alter table delivery_attempts add constraint refused check (remote_address <> 'refused')`,
    );
    const messages = deliveries.map(({ id }, index) =>
      attempted(id, { remoteAddress: index === 1 ? 'refused' : '203.0.113.7' }),
    );
    // The first one occupies the handler, so that the others share a batch.
    const outcomes = await Promise.allSettled(
      [attempted(newId('dlv')), ...messages].map((message) => handle(message)),
    );
    await fixture.database.query('alter table delivery_attempts drop constraint refused');
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const states = await Promise.all(deliveries.map(async ({ id }) => (await fixture.delivery(id)).state));
    expect(states).toEqual(['delivered', 'pending', 'delivered']);
  });
});

test('the metrics count attempts and dead letters by company class, and measure the latency of the first and of later attempts', async () => {
  const metrics = new Registry();
  const recording = resultsHandler(fixture.database, { metrics });
  const { DELIVERED } = AttemptOutcome;
  for (const outcomes of [[DELIVERED], [FAILED, DELIVERED], Array<typeof FAILED>(8).fill(FAILED)]) {
    const { id } = await claimed();
    await fixture.set('deliveries', id, `created_at = now() - interval '20 s'`);
    for (const outcome of outcomes) await recording(attempted(id, { outcome }));
  }
  const text = await metrics.metrics();
  const attempts = (companyClass: string, outcome: string) =>
    `partner_webhook_attempts_recorded_total{company_class="${companyClass}",outcome="${outcome}"}`;
  expect(text).toContain(`${attempts('installer', 'timed_out')} 9\n`);
  expect(text).toContain(`${attempts('installer', 'delivered')} 2\n`);
  expect(text).toContain(`${attempts('sales', 'delivered')} 0\n`);
  expect(text).toContain('partner_webhook_dead_letters_total{company_class="installer"} 1\n');
  const bucket = (attempt: string, le: number) =>
    `partner_webhook_delivery_seconds_bucket{le="${le}",company_class="installer",attempt="${attempt}"}`;
  for (const attempt of ['first', 'later']) {
    expect(text).toContain(`${bucket(attempt, 10)} 0\n`);
    expect(text).toContain(`${bucket(attempt, 30)} 1\n`);
  }
});

test('a subscription shows its failures in a row, up to 5, and when its next waiting delivery is attempted [DELIVERY-16, DELIVERY-26]', async () => {
  const { companyId, subscriptionId, ids } = await fixture.companyWith(7);
  const shown = async () => {
    const [row] = await listSubscriptions(fixture.database, companyId);
    return { failures: row?.failuresInRow, next: row?.nextAttemptAt };
  };
  const waiting = async () =>
    (await fixture.deliveriesOf(subscriptionId)).flatMap(({ lease_id: lease, next_attempt_at: at }) =>
      lease === null && at !== null ? [at.getTime()] : [],
    );
  const earliest = async () => new Date(Math.min(...(await waiting())));

  for (const [done, id] of ids.slice(0, 6).entries()) {
    expect(await shown()).toEqual({ failures: Math.min(done, 5), next: await earliest() });
    await fail(id);
  }
  expect(await fixture.row('subscriptions', subscriptionId)).toMatchObject({ failures_in_row: 5 });
  const [first, , third, , , , untried] = ids;
  // A retry can be due before a first attempt.
  await fixture.makeDue(third);
  expect(await shown()).toEqual({ failures: 5, next: await earliest() });

  await handle(attempted(untried));
  await fixture.database.query(`update deliveries set lease_id = 'in flight' where id <> $1`, [first]);
  expect(await shown()).toEqual({ failures: 0, next: (await fixture.delivery(first)).next_attempt_at });
  await fixture.database.query(`update deliveries set lease_id = 'in flight'`);
  expect(await shown()).toEqual({ failures: 0, next: null });
});

test('the condition of a webhook follows what happens now, without tests, and counts what a pause withholds [DELIVERY-26]', async () => {
  const { companyId, subscriptionId, ids } = await fixture.companyWith(7);
  await fixture.subscription({ companyId, events: ['quote.*'], state: 'paused' });
  const { database } = fixture;
  const conditions = async () => {
    const webhooks = await withConditions(database, companyId, await listSubscriptions(database, companyId));
    return webhooks.map(({ condition }) => condition);
  };
  const began = new Date();
  for (const id of ids.slice(0, 5)) await fail(id);
  const [failing, other] = await conditions();
  expect(failing).toMatchObject({ state: 'failing', attempts: 5, waiting: 5, accepted: null });
  expect(new Date(failing?.since ?? 0).getTime()).toBeGreaterThanOrEqual(began.getTime());
  expect(other).toMatchObject({ state: 'paused', missed: 0, waiting: 0 });

  const [accepted, test] = [ids[5], ids[6]];
  await fixture.set('deliveries', test, `is_test = true, state = 'retry_scheduled'`);
  await handle(attempted(accepted));
  expect((await conditions())[0]).toMatchObject({ state: 'recovering', waiting: 5, accepted: 1 });

  await fixture.setState(subscriptionId, 'paused');
  for (const _ of [1, 2]) await fixture.event(companyId);
  expect((await conditions())[0]).toMatchObject({ state: 'paused', missed: 2, missedAtLeast: false });
});
