import { describe, expect, test } from '@jest/globals';
import { AttemptOutcome } from '@partner/proto-contracts/gen/partner/webhooks/v1/delivery_pb';
import { silentLogger } from '@partner/kernel/telemetry/logger';
import { Registry } from 'prom-client';
import { eventually } from '@partner/test-kit/eventually';
import { invariant } from '@partner/kernel/process/invariant';
import { client, fixture } from '../../testing/file-subscriptions.js';
import { attemptedMessage, type StoredDelivery } from '../../testing/webhook-fixture.js';
import { followSubscriptionState, startFollowingSubscriptionState } from './follow-subscription-state.js';
import type { SubscriptionOfCompany } from './get-subscription.js';
import { deliveriesWaiting } from '../deliveries/releaser.js';
import { subscriptionStateChanged } from './follow-subscription-state.js';

/** Runs until no delivery is left to move. */
async function followAll(): Promise<void> {
  while ((await followSubscriptionState(fixture)) > 0);
}

/** An active subscription of a separate company, with a delivery in each state. */
async function withBacklog() {
  const companyId = await fixture.company();
  const of = await fixture.activated(companyId);
  await client.sendTestDelivery(of);
  for (let event = 0; event < 4; event += 1) await fixture.event(companyId);
  const unfinished = (await fixture.deliveriesOf(of.subscriptionId)).filter(
    (row) => row.finished_at === null,
  );
  const [test] = unfinished.filter((row) => row.is_test);
  const [first, retry, leased, leasedRetry] = unfinished.filter((row) => !row.is_test);
  invariant(test && first && retry && leased && leasedRetry, 'five deliveries');
  await set(retry, `state = 'retry_scheduled', attempts = 3, next_attempt_at = now() + interval '1 hour'`);
  await set(leased, `lease_id = 'lease', next_attempt_at = now() + interval '1 minute'`);
  await set(
    leasedRetry,
    `state = 'retry_scheduled', attempts = 1, lease_id = 'lease', next_attempt_at = now() + interval '1 minute'`,
  );
  return { of, test, first, retry, leased, leasedRetry };
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
    expect(await stateOf(first)).toBe('held');
    expect(await fixture.overdueSince(first.id)).toBeNull();
    expect(await stateOf(retry)).toBe('held');
    expect(await stateOf(test)).toBe('pending');
    expect(await fixture.delivery(leased.id)).toMatchObject({ state: 'pending', lease_id: 'lease' });
    expect(await fixture.delivery(leasedRetry.id)).toMatchObject({
      state: 'retry_scheduled',
      lease_id: 'lease',
    });

    const failed = { leaseId: 'lease', outcome: AttemptOutcome.REJECTED };
    await fixture.handle(attemptedMessage({ deliveryId: leased.id, ...failed }));
    await followAll();
    const waits = await fixture.delivery(leased.id);
    expect(waits).toMatchObject({ state: 'held', attempts: 1 });

    await client.activateSubscription(of);
    await followAll();
    expect(await fixture.delivery(first.id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await fixture.delivery(retry.id)).toMatchObject({ state: 'retry_scheduled', attempts: 3 });
    expect(await fixture.delivery(leased.id)).toMatchObject({
      state: 'retry_scheduled',
      next_attempt_at: waits.next_attempt_at,
    });
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
      expect(await fixture.delivery(each.id)).toMatchObject({
        state: 'cancelled',
        finished_at: expect.any(Date),
        event_id: each.event_id,
        subscription_id: of.subscriptionId,
      });
    }
    expect((await fixture.delivery(retry.id)).attempts).toBe(3);

    const result = (row: StoredDelivery, outcome: AttemptOutcome) =>
      fixture.handle(attemptedMessage({ deliveryId: row.id, leaseId: 'lease', outcome }));
    await result(leased, AttemptOutcome.DELIVERED);
    await result(leasedRetry, AttemptOutcome.REJECTED);
    await followAll();
    expect(await stateOf(leased)).toBe('delivered');
    expect(await fixture.delivery(leasedRetry.id)).toMatchObject({ state: 'cancelled', attempts: 2 });
    const left = await fixture.database.query('select 1 from deliveries where subscription_id = $1', [
      of.subscriptionId,
    ]);
    expect(left).toEqual([]);
  });

  test('do not move with those of another subscription', async () => {
    const paused = await withBacklog();
    const other = await withBacklog();
    for (const { first } of [paused, other]) await set(first, 'lease_id = null');
    await client.pauseSubscription(paused.of);
    await followAll();
    expect(await stateOf(paused.first)).toBe('held');
    expect(await stateOf(other.first)).toBe('pending');
    await client.deleteSubscription(paused.of);
    await followAll();
    expect(await stateOf(other.first)).toBe('pending');
  });

  test('move a bounded number at a time, for each subscription in rotation', async () => {
    const large = await fixture.activated(await fixture.company());
    const small = await fixture.activated(await fixture.company());
    const queue = (of: SubscriptionOfCompany, count: number) =>
      fixture.database.query(
        `insert into deliveries (id, subscription_id, company_id, event_id, event, resource_type, resource_id)
         select $1 || n, $1, $2, 'evt', 'install.status_changed', 'install_job', 'job' from generate_series(1, $3::integer) n`,
        [of.subscriptionId, of.companyId, count],
      );
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
    for (let round = 0; round < 12; round += 1) {
      const companyId = await fixture.company();
      const of = await fixture.activated(companyId);
      for (let event = 0; event < 4; event += 1) await fixture.event(companyId);
      const claimed = (await fixture.claim({ batchSize: 2 })).filter(
        ({ subscriptionId }) => subscriptionId === of.subscriptionId,
      );
      const last = [
        () => client.pauseSubscription(of),
        () => client.activateSubscription(of),
        () => client.deleteSubscription(of),
      ].map((change) => async () => {
        await change();
      })[round % 3];
      invariant(last, 'one of three');
      await Promise.all([
        ...claimed.map(({ id, leaseId }) =>
          fixture.handle(attemptedMessage({ deliveryId: id, leaseId, outcome: AttemptOutcome.REJECTED })),
        ),
        client.pauseSubscription(of).then(last),
        followSubscriptionState(fixture),
        fixture.event(companyId),
        fixture.claim({ batchSize: 1 }),
        followSubscriptionState(fixture),
      ]);
      for (const row of await fixture.deliveriesOf(of.subscriptionId)) {
        if (row.lease_id === null) continue;
        const { id: deliveryId, lease_id: leaseId } = row;
        await fixture.handle(attemptedMessage({ deliveryId, leaseId, outcome: AttemptOutcome.REJECTED }));
      }
      await followAll();
      const states = await statesOf(of);
      const wanted = [['held'], ['pending', 'retry_scheduled'], ['cancelled']][round % 3] ?? [];
      expect(wanted).toEqual(expect.arrayContaining(states));
    }
  });
});

test('a loop runs at once when the commit wakes it, and wakes the scheduler when deliveries resume', async () => {
  const { of, first } = await withBacklog();
  await client.pauseSubscription(of);
  const loop = startFollowingSubscriptionState({
    database: fixture.database,
    logger: silentLogger,
    metrics: new Registry(),
    intervalMs: 3_600_000,
  });
  subscriptionStateChanged.listen(fixture.database, loop.wake);
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
