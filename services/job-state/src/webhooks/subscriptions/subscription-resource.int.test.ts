import { expect, test } from '@jest/globals';
import { attempted, fail, fixture, handle } from '../testing/results-fixture.js';
import { listSubscriptions } from './get-subscription.js';
import { withConditions } from './read-conditions.js';

test('a subscription shows its failures in a row, up to 5, and when its next waiting delivery is attempted [DELIVERY-26]', async () => {
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
  const [first = '', , third = '', , , , untried = ''] = ids;
  // A retry can be due before a first attempt.
  await fixture.makeDue(third);
  expect(await shown()).toEqual({ failures: 5, next: await earliest() });

  await handle(attempted(untried));
  await fixture.database.query(`update deliveries set lease_id = 'in flight' where id <> $1`, [first]);
  expect(await shown()).toEqual({
    failures: 0,
    next: (await fixture.delivery(first)).next_attempt_at,
  });
  await fixture.database.query(`update deliveries set lease_id = 'in flight'`);
  expect(await shown()).toEqual({ failures: 0, next: null });
});

test('the condition of a webhook follows what happens now, without tests, and counts what a pause withholds [DELIVERY-26]', async () => {
  const { companyId, subscriptionId, ids } = await fixture.companyWith(7);
  await fixture.subscription({ companyId, events: ['quote.*'], state: 'paused' });
  const conditions = async () => {
    const { database } = fixture;
    const webhooks = await withConditions(database, companyId, await listSubscriptions(database, companyId));
    return webhooks.map(({ condition }) => condition);
  };
  const began = new Date();
  for (const id of ids.slice(0, 5)) await fail(id);
  const [failing, other] = await conditions();
  expect(failing).toMatchObject({ state: 'failing', attempts: 5, waiting: 5, accepted: null });
  expect(new Date(failing?.since ?? 0).getTime()).toBeGreaterThanOrEqual(began.getTime());
  expect(other).toMatchObject({ state: 'paused', missed: 0, waiting: 0 });

  const [accepted = '', test = ''] = ids.slice(5);
  await fixture.set('deliveries', test, `is_test = true, state = 'retry_scheduled'`);
  await handle(attempted(accepted));
  expect((await conditions())[0]).toMatchObject({ state: 'recovering', waiting: 5, accepted: 1 });

  await fixture.setState(subscriptionId, 'paused');
  for (const _ of [1, 2]) await fixture.event(companyId);
  expect((await conditions())[0]).toMatchObject({ state: 'paused', missed: 2, missedAtLeast: false });
});
