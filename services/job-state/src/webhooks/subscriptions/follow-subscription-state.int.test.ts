import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { eventually } from '@partner/test-kit/eventually';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { attemptedMessage, type StoredDelivery } from '../../testing/webhook-fixture.js';
import * as following from './follow-subscription-state.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';

const { followSubscriptionState } = following;

async function followAll(): Promise<void> {
  while ((await followSubscriptionState(fixture)) > 0);
}

/** An active subscription of a separate company, with a delivery in each state. */
async function withBacklog() {
  const { companyId, subscriptionId, deliveries } = await fixture.companyWith(5);
  const [test, first, retry, leased, leasedRetry] = deliveries;
  await set(test, 'is_test = true');
  await fixture.setRetrying([retry.id], 3_600, 3);
  await fixture.setRetrying([leasedRetry.id], 60);
  await set(leasedRetry, `lease_id = 'lease'`);
  await set(leased, `lease_id = 'lease', next_attempt_at = now() + interval '1 minute'`);
  return { of: { companyId, subscriptionId }, test, first, retry, leased, leasedRetry };
}

function set({ id }: Pick<StoredDelivery, 'id'>, changes: string) {
  return fixture.set('deliveries', id, changes);
}

const stateOf = async ({ id }: Pick<StoredDelivery, 'id'>) => (await fixture.delivery(id)).state;

async function statesOf({ subscriptionId }: SubscriptionOfCompany) {
  const rows = await fixture.deliveriesOf(subscriptionId);
  return [...new Set(rows.filter((row) => !row.is_test).map(({ state }) => state))].sort();
}

describe('the deliveries of a subscription', () => {
  test('are held while it is paused, except tests and those in flight, and resume afterwards, each at its time [WEBHOOK-5]', async () => {
    const { of, test, first, retry, leased, leasedRetry } = await withBacklog();
    await followAll();
    expect(await stateOf(first)).toBe('pending');

    await set(first, 'overdue_since = now()');
    await client.pauseSubscription(of);
    await followAll();
    const standing = async () => Promise.all([first, retry, test, leased, leasedRetry].map(stateOf));
    expect(await standing()).toEqual(['held', 'held', 'pending', 'pending', 'retry_scheduled']);
    expect(await fixture.overdueSince(first.id)).toBeNull();
    for (const { id } of [leased, leasedRetry]) expect((await fixture.delivery(id)).lease_id).toBe('lease');

    const failed = { leaseId: 'lease', outcome: AttemptOutcome.REJECTED };
    await fixture.handle(attemptedMessage({ deliveryId: leased.id, ...failed }));
    await followAll();
    const waits = await fixture.delivery(leased.id);
    expect(waits).toMatchObject({ state: 'held', attempts: 1 });

    await client.activateSubscription(of);
    await followAll();
    expect(await fixture.delivery(first.id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await fixture.delivery(retry.id)).toMatchObject({ state: 'retry_scheduled', attempts: 3 });
    const { next_attempt_at } = waits;
    expect(await fixture.delivery(leased.id)).toMatchObject({ state: 'retry_scheduled', next_attempt_at });
    const claimed = (await fixture.claim()).map(({ id }) => id);
    expect(claimed).toContain(first.id);
    expect(claimed).not.toContain(retry.id);
  });

  test('are cancelled once it is deleted, including tests and held ones; an attempt in flight finishes [WEBHOOK-8]', async () => {
    const { of, test, first, retry, leased, leasedRetry } = await withBacklog();
    await client.pauseSubscription(of);
    await followAll();
    await client.deleteSubscription(of);
    await followAll();
    for (const each of [test, first, retry]) {
      const { event_id, subscription_id } = each;
      const cancelled = { state: 'cancelled', finished_at: expect.any(Date), event_id, subscription_id };
      expect(await fixture.delivery(each.id)).toMatchObject(cancelled);
    }
    expect((await fixture.delivery(retry.id)).attempts).toBe(3);

    const result = (row: StoredDelivery, outcome: AttemptOutcome) =>
      fixture.handle(attemptedMessage({ deliveryId: row.id, leaseId: 'lease', outcome }));
    await result(leased, AttemptOutcome.DELIVERED);
    await result(leasedRetry, AttemptOutcome.REJECTED);
    await followAll();
    expect(await stateOf(leased)).toBe('delivered');
    expect(await fixture.delivery(leasedRetry.id)).toMatchObject({ state: 'cancelled', attempts: 2 });
    const left = 'select 1 from deliveries where subscription_id = $1';
    expect(await fixture.database.query(left, [of.subscriptionId])).toEqual([]);
  });

  test('do not move with those of another subscription', async () => {
    const paused = await withBacklog();
    const other = await withBacklog();
    await client.pauseSubscription(paused.of);
    await followAll();
    expect(await stateOf(paused.first)).toBe('held');
    expect(await stateOf(other.first)).toBe('pending');
    await client.deleteSubscription(paused.of);
    await followAll();
    expect(await stateOf(other.first)).toBe('pending');
  });

  test('move a bounded number at a time, for each subscription in rotation', async () => {
    const [large, small] = [await fixture.companyWith(0), await fixture.companyWith(0)];
    const queue = (of: SubscriptionOfCompany, count: number) =>
      fixture.insertMany('deliveries', of, [1, count], { id: `'${of.subscriptionId}' || n` });
    await queue(large, 2_500);
    await queue(small, 10);
    await client.pauseSubscription(large);
    await client.pauseSubscription(small);
    expect(await followSubscriptionState(fixture)).toBeLessThanOrEqual(1_000);
    expect(await statesOf(small)).toEqual(['held']);
    await followAll();
    expect(await statesOf(large)).toEqual(['held']);

    await client.activateSubscription(large);
    expect(await followSubscriptionState(fixture)).toBe(1_000);
    await client.deleteSubscription(large);
    expect(await followSubscriptionState(fixture)).toBeLessThanOrEqual(2_000);
    await followAll();
    expect(await statesOf(large)).toEqual(['cancelled']);
  });

  test('are not waited for: the next run moves locked ones', async () => {
    const { of, first, retry } = await withBacklog();
    await client.pauseSubscription(of);
    await fixture.database.transaction(async (tx) => {
      await tx.query('select 1 from deliveries where id = $1 for update', [first.id]);
      await followAll();
    });
    expect([await stateOf(first), await stateOf(retry)]).toEqual(['pending', 'held']);
    await followAll();
    expect(await stateOf(first)).toBe('held');
  });

  test('finally match its state under any concurrent changes [WEBHOOK-5]', async () => {
    const rounds = [
      ['pauseSubscription', ['held']],
      ['activateSubscription', ['pending', 'retry_scheduled']],
      ['deleteSubscription', ['cancelled']],
    ] as const;
    for (const [change, wanted] of [...rounds, ...rounds, ...rounds, ...rounds]) {
      const { companyId, subscriptionId } = await fixture.companyWith(4);
      const of = { companyId, subscriptionId };
      const claimed = (await fixture.claim({ batchSize: 2 })).filter(
        (each) => each.subscriptionId === subscriptionId,
      );
      await Promise.all([
        ...claimed.map(({ id, leaseId }) =>
          fixture.handle(attemptedMessage({ deliveryId: id, leaseId, outcome: AttemptOutcome.REJECTED })),
        ),
        client.pauseSubscription(of).then<unknown>(() => client[change](of)),
        followSubscriptionState(fixture),
        fixture.event(companyId),
        fixture.claim({ batchSize: 1 }),
        followSubscriptionState(fixture),
      ]);
      for (const { id: deliveryId, lease_id: leaseId } of await fixture.deliveriesOf(subscriptionId)) {
        if (leaseId === null) continue;
        await fixture.handle(attemptedMessage({ deliveryId, leaseId, outcome: AttemptOutcome.REJECTED }));
      }
      await followAll();
      expect(wanted).toEqual(expect.arrayContaining(await statesOf(of)));
    }
  });
});

test('a loop runs at once when the commit wakes it, and wakes the scheduler when deliveries resume', async () => {
  const { of, first } = await withBacklog();
  await client.pauseSubscription(of);
  const loop = following.startFollowingSubscriptionState({
    database: fixture.database,
    logger: silentLogger,
    metrics: new Registry(),
    intervalMs: 3_600_000,
  });
  following.subscriptionStateChanged.listen(fixture.database, loop.wake);
  let woken = 0;
  deliveriesWaiting.listen(fixture.database, () => {
    woken += 1;
  });
  const firstIs = (state: string) => eventually(state, async () => (await stateOf(first)) === state);

  await firstIs('held');
  woken = 0;
  await client.activateSubscription(of);
  await firstIs('pending');
  await eventually('the release', () => woken > 0);
  await client.pauseSubscription(of);
  await firstIs('held');
  await client.deleteSubscription(of);
  await firstIs('cancelled');
  await loop.stop();
  expect(await statesOf(of)).toEqual(['cancelled', 'pending', 'retry_scheduled']);
});
